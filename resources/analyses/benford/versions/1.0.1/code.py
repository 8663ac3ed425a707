import math
from decimal import Decimal as D

FIRST = {"first": 1, "first_two": 10, "first_three": 100}


def expected_of(test):
    if test == "second":
        return {d: math.fsum(math.log10(1 + 1 / (10 * k + d)) for k in range(1, 10)) for d in range(10)}
    low = FIRST[test]
    return {d: math.log10(1 + 1 / d) for d in range(low, low * 10)}


def digit_of(value, test):
    """The leading digits of a decimal, or None for nil."""
    sign, digits, _ = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return None
    if test == "second":
        return int((text + "0")[1])
    length = len(str(FIRST[test]))
    return int((text + "000")[:length])


def gamma_q(a, x):
    """Regularised upper incomplete gamma function: the tail of chi-square."""
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        at = a
        for _ in range(100000):
            at += 1
            term *= x / at
            total += term
            if term < total * 1e-16:
                break
        return max(1 - front * total, 0.0)
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    for i in range(1, 100000):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        step = c * d
        h *= step
        if abs(step - 1) < 1e-16:
            break
    return front * h


def run(inputs, params):
    test = inputs["test"]
    expected = expected_of(test)
    counts, rows, skipped = dict.fromkeys(expected, 0), {}, 0
    values, given = inputs["values"], inputs["digit_counts"]
    if (values is None) == (given is None):
        raise ValueError("Give values or digit_counts.")
    if values is not None:
        least = inputs["min_abs"]
        least = D(least) if least is not None else D({"first": 0, "second": 10, "first_two": 10, "first_three": 100}[test])
        for row, text in enumerate(values):
            value = abs(D(text))
            digit = digit_of(value, test) if value >= least else None
            if digit is None:
                skipped += 1
                continue
            counts[digit] += 1
            rows.setdefault(digit, []).append(row)
    else:
        for name, count in given.items():
            if not name.isdigit() or int(name) not in counts:
                raise ValueError(f"{name} is no digit of the test {test}.")
            counts[int(name)] = count
    n = sum(counts.values())
    if n == 0:
        raise ValueError("No value is left to test.")
    law = "Nigrini (2012), Benford's Law, ch. 7"
    chi = math.fsum((counts[d] - n * p) ** 2 / (n * p) for d, p in expected.items())
    freedom = len(expected) - 1
    mad = math.fsum(abs(counts[d] / n - p) for d, p in expected.items()) / len(expected)
    z = {}
    for d, p in expected.items():
        gap = abs(counts[d] / n - p)
        correction = 1 / (2 * n)
        z[d] = (gap - correction if gap > correction else gap) / math.sqrt(p * (1 - p) / n)
    bounds = [float(D(bound)) for bound in params["mad_bounds"][test]]
    names = ("close", "acceptable", "marginal", "nonconformity")
    conformity = names[sum(1 for bound in bounds if mad > bound)]
    worst = sorted(expected, key=lambda d: -z[d])[:5]
    outputs = {
        "n": n,
        "skipped": skipped,
        "observed": {str(d): counts[d] for d in expected},
        "observed_share": {str(d): counts[d] / n for d in expected},
        "expected": {str(d): p for d, p in expected.items()},
        "chi_square": chi,
        "degrees_of_freedom": freedom,
        "p_value": gamma_q(freedom / 2, chi / 2),
        "mad": mad,
        "conformity": conformity,
        "z": {str(d): value for d, value in z.items()},
        "largest_deviations": [
            {"digit": d, "observed": counts[d], "expected": n * expected[d], "z": z[d], "rows": rows.get(d, [])[:100]} for d in worst
        ],
        "warning": "Fewer than 300 values: the bounds are not reliable." if n < 300 else None,
    }
    steps = [
        ("Values that count", n, law),
        ("Chi-square", chi, "Σ (observed − expected)² / expected"),
        ("Mean absolute deviation", mad, law),
        ("Conformity by the bounds " + ", ".join(str(bound) for bound in bounds), conformity, law),
    ]
    return {"outputs": outputs, "steps": steps}
