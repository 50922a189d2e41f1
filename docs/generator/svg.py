"""Line charts as SVG, by the standard library. Nothing is behind them, and all colours are mid-tones: they can be read on white and on black."""
import math
from xml.sax.saxutils import escape

TEXT, GRID = "#808080", "#80808040"
WIDTH, HEIGHT = 800, 440
LEFT, RIGHT, TOP, BOTTOM = 66, 178, 44, 52  # the right margin holds the names of the lines
APART = 17  # the least distance between two names


class Line:
    """What is drawn through some points. Without a label it has no name beside it."""

    def __init__(self, label, colour, points, dashes="", width=1.8):
        self.label, self.colour, self.points, self.dashes, self.width = label, colour, points, dashes, width


class Axis:
    """Places of values along one side, by their logarithms or, where `logarithmic` is false, by themselves."""

    def __init__(self, values, start, end, logarithmic=True, ticks=(), whole_decades=True):
        self.logarithmic, self.start, self.end = logarithmic, start, end
        least, greatest = min(values), max(values)
        if logarithmic and whole_decades:
            least, greatest = 10.0 ** math.floor(math.log10(least)), 10.0 ** math.ceil(math.log10(greatest))
        self.least, self.greatest = self.scaled(least), self.scaled(greatest)
        decades = range(round(self.least), round(self.greatest) + 1)
        self.ticks = ticks or [10.0**power for power in decades if len(decades) <= 8 or power % 3 == 0]

    def scaled(self, value):
        return math.log10(value) if self.logarithmic else value

    def place(self, value):
        return self.start + (self.scaled(value) - self.least) / (self.greatest - self.least) * (self.end - self.start)


def power_of_two(value):
    """2 to a power, the power raised."""
    exponent = round(math.log2(value))
    return f'2<tspan dy="-5" font-size="9">{exponent}</tspan>'


def plain(value):
    return f"{value:g}"


def text(x, y, content, anchor="start", size=12, colour=TEXT, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{extra}>{content}</text>'


def spread(places):
    """Places moved apart until none is nearer to the next than APART, as little as a pass from the top does."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for before, after in zip(order, order[1:]):
        moved[after] = max(moved[after], moved[before] + APART)
    beyond = moved[order[-1]] - (HEIGHT - BOTTOM)
    if beyond > 0:
        moved[order[-1]] -= beyond
        for after, before in zip(order[::-1], order[-2::-1]):
            moved[before] = min(moved[before], moved[after] - APART)
    return moved


def emptier_end(y, places):
    """At which end of a level fewer points are in the way of its name."""
    near = [x for x, other in places if abs(other - y + 8) < 20]
    quarter = (WIDTH - RIGHT - LEFT) / 4
    return "start" if sum(x < LEFT + quarter for x in near) < sum(x > WIDTH - RIGHT - quarter for x in near) else "end"


def chart(title, x_label, y_label, lines, description, y_logarithmic=True, y_ticks=(), levels=()):
    """A chart of lines over powers of two. `levels` are (value, name): dotted lines across."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points] + [value for value, _ in levels] + list(y_ticks)
    exponents = range(math.floor(math.log2(min(xs))), math.ceil(math.log2(max(xs))) + 1)
    step = 1 if len(exponents) <= 12 else 2 if len(exponents) <= 24 else 4
    across = Axis([2.0 ** exponents[0], 2.0 ** exponents[-1]], LEFT, WIDTH - RIGHT, ticks=[2.0**e for e in exponents if e % step == 0], whole_decades=False)
    up = Axis(ys, HEIGHT - BOTTOM, TOP, y_logarithmic, y_ticks, whole_decades=not y_ticks)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" role="img">',
             f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>", text(LEFT, 22, escape(title), size=14)]
    for value in up.ticks:
        y = up.place(value)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{GRID}"/>')
        parts.append(text(LEFT - 8, y + 4, plain(value), "end", 11))
    for value in across.ticks:
        x = across.place(value)
        parts.append(f'<line x1="{x:.1f}" y1="{HEIGHT - BOTTOM}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM + 5}" stroke="{TEXT}"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 20, power_of_two(value), "middle", 11))
    parts.append(f'<line x1="{LEFT}" y1="{HEIGHT - BOTTOM}" x2="{WIDTH - RIGHT}" y2="{HEIGHT - BOTTOM}" stroke="{TEXT}"/>')
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, escape(x_label), "middle"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(text(16, middle, escape(y_label), "middle", extra=f' transform="rotate(-90 16 {middle:.1f})"'))
    for value, name in levels:
        y = up.place(value)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{TEXT}" stroke-dasharray="2 3"/>')
        anchor = emptier_end(y, [(across.place(x), up.place(value)) for line in lines for x, value in line.points])
        parts.append(text(LEFT + 4 if anchor == "start" else WIDTH - RIGHT - 4, y - 5, escape(name), anchor, 11))
    named = [line for line in lines if line.label]
    ends = dict(zip(map(id, named), spread([up.place(line.points[-1][1]) for line in named])))
    for line in lines:
        places = [(across.place(x), up.place(y)) for x, y in line.points]
        dashes = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="{line.width}"{dashes}/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{line.colour}"/>' for x, y in places]
        if line.label:
            end = ends[id(line)]
            parts.append(f'<line x1="{places[-1][0] + 5:.1f}" y1="{places[-1][1]:.1f}" x2="{WIDTH - RIGHT + 18}" y2="{end:.1f}" stroke="{line.colour}" '
                         'stroke-width="0.7"/>')
            parts.append(text(WIDTH - RIGHT + 22, end + 4, escape(line.label), colour=line.colour))
    return "\n".join([*parts, "</svg>"]) + "\n"
