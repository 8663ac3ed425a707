import math
from decimal import Decimal as D, ROUND_HALF_UP

MARKET = ("interest", "equity", "property", "spread", "concentration", "currency")


def aggregate(values, matrix):
    total = math.fsum(
        float(D(matrix[i][j])) * values[i] * values[j] for i in range(len(values)) for j in range(len(values))
    )
    return math.sqrt(max(total, 0.0))


def run(inputs, params):
    steps = []
    modules = inputs["market_modules"]
    market = inputs["market"]
    if modules is not None:
        if market is not None:
            raise ValueError("Give market, or its modules, not both.")
        matrix = params["market_correlation_" + inputs["interest_shock"]]
        market = aggregate([float(D(modules[name])) for name in MARKET], matrix)
        steps.append(("Market risk from its modules", round(market, 6), "Delegated Regulation (EU) 2015/35 art. 164"))
    else:
        if market is None:
            raise ValueError("market is missing.")
        market = float(D(market))
    values = [market] + [float(D(inputs[name])) for name in ("default", "life", "health", "non_life")]
    basic = aggregate(values, params["correlation"])
    law = "Directive 2009/138/EC Annex IV; Delegated Regulation (EU) 2015/35 art. 87"
    diversification = sum(values) - basic
    steps.append(("Sum of the modules", round(sum(values), 6), law))
    steps.append(("Root of the correlated squares", round(basic, 6), law))
    steps.append(("Diversification", round(diversification, 6), law))
    bscr = basic + float(D(inputs["intangible"]))
    scr = bscr + float(D(inputs["operational"])) + float(D(inputs["adjustment"]))
    steps.append(("Basic requirement with intangible assets", round(bscr, 6), law))
    steps.append(("Solvency capital requirement", round(scr, 6), "Directive 2009/138/EC art. 103"))
    three = lambda x: D(repr(x)).quantize(D("0.001"), ROUND_HALF_UP)
    return {
        "outputs": {"bscr": three(bscr), "diversification": three(diversification), "scr": three(scr)},
        "steps": steps,
    }
