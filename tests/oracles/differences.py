"""Windows by trying every place for them."""


def naive_window(values, width):
    """Count and start of the first window with the most values; it begins at one of them."""
    counts = [(sum(0 <= v - start <= width for v in values), -start) for start in values]
    count, start = max(counts)
    return count, -start


def naive_pair_windows(columns_of, pairs, width):
    return [
        naive_window([b - a for a, b in zip(columns_of[j], columns_of[k], strict=True)], width)
        for j, k in pairs
    ]


def naive_growth(columns_of, pair, start, width, least):
    columns = list(pair)
    j, k = pair
    rows = [
        i
        for i, (a, b) in enumerate(zip(columns_of[j], columns_of[k], strict=True))
        if start <= b - a <= start + width
    ]
    while len(columns) < least[1]:
        means = {i: sum(columns_of[c][i] for c in columns) / len(columns) for i in rows}
        best = None
        for c in (c for c in range(len(columns_of)) if c not in columns):
            values = [columns_of[c][i] - means[i] for i in rows]
            if values:
                count, begin = naive_window(values, width)
                if count >= least[0] and (best is None or count > best[0]):
                    best = count, begin, c
        if best is None:
            break
        _, begin, c = best
        rows = [i for i in rows if begin <= columns_of[c][i] - means[i] <= begin + width]
        columns.append(c)
    return rows, columns
