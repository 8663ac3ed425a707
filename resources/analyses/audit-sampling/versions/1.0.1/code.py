import math
from decimal import Decimal as D, ROUND_HALF_UP

LARGEST = 5000


def binomial_cdf(k, n, p):
    if k >= n or p <= 0:
        return 1.0
    if p >= 1:
        return 0.0
    log_p, log_q = math.log(p), math.log1p(-p)
    top = math.lgamma(n + 1)
    return math.fsum(
        math.exp(top - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * log_p + (n - i) * log_q)
        for i in range(int(k) + 1)
    )


def hypergeometric_cdf(k, n, errors, population):
    log_choose = lambda a, b: math.lgamma(a + 1) - math.lgamma(b + 1) - math.lgamma(a - b + 1)
    low = max(0, n - (population - errors))
    base = log_choose(population, n)
    return math.fsum(
        math.exp(log_choose(errors, i) + log_choose(population - errors, n - i) - base)
        for i in range(low, min(int(k), n, errors) + 1)
    )


def gamma_p(a, x):
    """Regularised lower incomplete gamma function: by its series below a + 1, by its continued fraction above."""
    if x <= 0:
        return 0.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        at = a
        for _ in range(10000):
            at += 1
            term *= x / at
            total += term
            if abs(term) < abs(total) * 1e-16:
                break
        return front * total
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    for i in range(1, 10000):
        an = -i * (i - a)
        b += 2
        d = an * d + b
        d = 1 / (d if abs(d) > tiny else tiny)
        c = b + an / c
        c = c if abs(c) > tiny else tiny
        step = c * d
        h *= step
        if abs(step - 1) < 1e-16:
            break
    return 1 - front * h


def solve(function, target, low, high):
    """Where a falling function reaches its target."""
    for _ in range(200):
        middle = (low + high) / 2
        if function(middle) > target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def gamma_quantile(confidence, shape):
    high = shape + 10
    while gamma_p(shape, high) < confidence:
        high *= 2
    return solve(lambda x: 1 - gamma_p(shape, x), 1 - confidence, 0.0, high)


def sample_size(inputs, steps):
    method, confidence = inputs["method"] or "binomial", float(D(inputs["confidence"]))
    if inputs["tolerable_rate"] is None:
        raise ValueError("A sample size needs tolerable_rate.")
    tolerable = float(D(inputs["tolerable_rate"]))
    rate, errors = inputs["expected_rate"], inputs["expected_errors"]
    if rate is not None and errors is not None:
        raise ValueError("Give expected_rate or expected_errors, not both.")
    rate = float(D(rate)) if rate is not None else (0.0 if errors is None else None)
    errors = float(D(errors)) if errors is not None else None
    if rate is not None and rate >= tolerable:
        raise ValueError("The expected rate must be below the tolerable rate.")
    if errors is not None and method != "poisson" and errors != int(errors):
        raise ValueError("expected_errors must be a whole number for this method.")
    population = inputs["population"]
    if method == "hypergeometric" and population is None:
        raise ValueError("The hypergeometric method needs population.")
    largest = min(LARGEST, population) if method == "hypergeometric" else LARGEST
    wrong = math.ceil(population * tolerable) if method == "hypergeometric" else None
    for n in range(1, largest + 1):
        if method == "poisson":
            k = n * rate if rate is not None else errors
            reached = gamma_p(1 + k, n * tolerable) >= confidence
            risk = 1 - gamma_p(1 + k, n * tolerable) if reached else None
        else:
            k = math.ceil(n * rate) if rate is not None else int(errors)
            if k >= n and k > 0:
                continue
            chance = binomial_cdf(k, n, tolerable) if method == "binomial" else hypergeometric_cdf(k, n, wrong, population)
            reached, risk = chance <= 1 - confidence, chance
        if reached:
            steps.append(("Deviations that may be found", k, "AICPA Audit Sampling, App. A"))
            steps.append(("Risk that remains", round(risk, 9), "ISA 530; AU-C 530"))
            interval = None
            if inputs["book_value"] is not None:
                interval = (D(inputs["book_value"]) / n).quantize(D("0.01"), ROUND_HALF_UP)
                steps.append(("Sampling interval: book value by sample size", interval, "AICPA Audit Sampling, App. C"))
            return {
                "n": n,
                "allowed_deviations": round(k, 9) if isinstance(k, float) and k != int(k) else int(k),
                "sampling_interval": interval,
            }
    raise ValueError(f"No sample of up to {largest} items is enough: the expected rate is too near to the tolerable one.")


def round_up(percent):
    """To one decimal, upwards; what differs only by the noise of the search is not raised."""
    return math.ceil(round(percent * 10, 7)) / 10


def evaluate(inputs, steps):
    n, found, taints = inputs["n"], inputs["deviations"], inputs["taints"]
    method = inputs["method"] or ("binomial" if taints is None else "poisson")
    confidence = float(D(inputs["confidence"]))
    if n is None:
        raise ValueError("An evaluation needs n, the size of the sample.")
    if found is None and taints is None:
        raise ValueError("An evaluation needs deviations, or taints for monetary units.")
    if found is not None and taints is not None:
        raise ValueError("Give deviations or taints, not both.")
    if taints is not None and method != "poisson":
        raise ValueError("Taints belong to monetary unit sampling: use the method poisson.")
    count = found if found is not None else len(taints)
    if count > n:
        raise ValueError("There are more deviations than items in the sample.")

    if taints is not None:
        ordered = sorted((float(D(taint)) for taint in taints), reverse=True)
        limit = gamma_quantile(confidence, 1) / n
        steps.append(("Bound without errors", round(limit * 100, 9), "Stringer bound"))
        for i, taint in enumerate(ordered, 1):
            step = (gamma_quantile(confidence, i + 1) - gamma_quantile(confidence, i)) / n
            limit += step * taint
            steps.append((f"Error {i} adds its taint times the step of the bound", round(step * taint * 100, 9), "Stringer bound"))
        likely = sum(ordered) / n
    elif method == "binomial":
        limit = 1.0 if count == n else solve(lambda p: binomial_cdf(count, n, p), 1 - confidence, 0.0, 1.0)
        likely = count / n
    elif method == "poisson":
        limit = gamma_quantile(confidence, 1 + count) / n
        likely = count / n
    else:
        population = inputs["population"]
        if population is None:
            raise ValueError("The hypergeometric method needs population.")
        if n > population:
            raise ValueError("The sample is larger than the population.")
        low, high = count, population
        while low < high:
            middle = (low + high + 1) // 2
            if hypergeometric_cdf(count, n, middle, population) > 1 - confidence:
                low = middle
            else:
                high = middle - 1
        limit, likely = low / population, count / n
    limit = min(limit, 1.0)
    # The tables of the guide round attributes up; a bound in money is shown as it is.
    shown = round_up(limit * 100) if method == "binomial" else round(limit * 100, 9)
    steps.append(("Most likely rate in percent", round(likely * 100, 9), "ISA 530; AU-C 530"))
    steps.append(("Upper limit in percent, exact", round(limit * 100, 9), "AICPA Audit Sampling, App. A"))
    outputs = {
        "upper_limit_percent": shown,
        "upper_limit_exact_percent": round(limit * 100, 9),
        "most_likely_percent": round(likely * 100, 9),
        "conclusion": None,
    }
    if inputs["book_value"] is not None:
        book = D(inputs["book_value"])
        outputs["upper_limit_amount"] = (book * D(repr(limit))).quantize(D("0.01"), ROUND_HALF_UP)
        outputs["most_likely_amount"] = (book * D(repr(likely))).quantize(D("0.01"), ROUND_HALF_UP)
    if inputs["tolerable_rate"] is not None:
        outputs["conclusion"] = "acceptable" if limit <= float(D(inputs["tolerable_rate"])) else "not_acceptable"
        steps.append(("Against the tolerable rate", outputs["conclusion"], "ISA 530; AU-C 530"))
    return outputs


def run(inputs, params):
    steps = []
    task = sample_size if inputs["task"] == "sample_size" else evaluate
    return {"outputs": task(inputs, steps), "steps": steps}
