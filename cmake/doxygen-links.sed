# What is outside docs/ and include/ is no page of the reference: a link to it becomes its name.
s/\[\([^][]*\)\](\.\.\/[^)]*)/\1/g
# Marks of figures (docs/figures.py), which Doxygen would take out together with the blank behind them. They may span lines.
:mark
/<!--[^>]*$/{
N
b mark
}
s/<!--[^>]*-->//g
