"""One colour for each class, on the whole page."""

from colorsys import hls_to_rgb

# Hues of the first classes, as shares of the circle: blue, orange, green, purple, ...
_HUES = (0.57, 0.07, 0.44, 0.8, 0.95, 0.16, 0.65, 0.3)
# Step between further hues: they never repeat.
_GOLDEN = 0.618034
# Of all colours. Text in them has a contrast of 4.5 to white and to the light paper of the plots,
# and bars in them one of 3 to the dark page.
LUMINANCE = 0.142
# For several classes together.
OTHERS = "#6b6b6b"


def class_colours(n_classes: int) -> list[str]:
    """Colours as light as each other, the same on light and dark pages."""
    return [_colour(_hue(place)) for place in range(n_classes)]


def _hue(place: int) -> float:
    return _HUES[place] if place < len(_HUES) else (place * _GOLDEN) % 1.0


def _colour(hue: float) -> str:
    """The colour of a hue that is as light as all others."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if _luminance(hls_to_rgb(hue, middle, 0.95)) < LUMINANCE:
            low = middle
        else:
            high = middle
    return "#" + "".join(f"{round(255 * part):02x}" for part in hls_to_rgb(hue, low, 0.95))


def _luminance(colour: tuple[float, float, float]) -> float:
    """Relative luminance, as WCAG defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
