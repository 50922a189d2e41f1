# What is outside docs/ and include/ is no page of the reference: a link to it becomes its name.
s/\[\([^][]*\)\](\.\.\/[^)]*)/\1/g
