from decimal import Decimal as D

NEEDED = {
    "altman_1968": ("working_capital", "retained_earnings", "ebit", "market_value_equity", "sales", "total_assets", "total_liabilities"),
    "altman_private": ("working_capital", "retained_earnings", "ebit", "book_value_equity", "sales", "total_assets", "total_liabilities"),
    "altman_non_manufacturing": ("working_capital", "retained_earnings", "ebit", "book_value_equity", "total_assets", "total_liabilities"),
}
INDEXES = ("dsri", "gmi", "aqi", "sgi", "depi", "sgai", "tata", "lvgi")
LINES = (
    "sales", "receivables", "cost_of_sales", "current_assets", "fixed_assets", "securities", "total_assets",
    "depreciation", "selling_and_administration", "current_liabilities", "long_term_debt",
)


def need(inputs, names):
    missing = [name for name in names if inputs[name] is None]
    if missing:
        raise ValueError("Missing: " + ", ".join(missing) + ".")
    return [D(inputs[name]) for name in names]


def over(a, b, what):
    if b == 0:
        raise ValueError(f"{what} cannot be worked out: it would divide by nil.")
    return a / b


def altman(inputs, params, model, steps):
    values = dict(zip(NEEDED[model], need(inputs, NEEDED[model])))
    rule = params[model]
    assets = values["total_assets"]
    equity = values.get("market_value_equity", values.get("book_value_equity"))
    ratios = {
        "wc_ta": over(values["working_capital"], assets, "Working capital by assets"),
        "re_ta": over(values["retained_earnings"], assets, "Retained earnings by assets"),
        "ebit_ta": over(values["ebit"], assets, "EBIT by assets"),
        "equity_tl": over(equity, values["total_liabilities"], "Equity by liabilities"),
    }
    if "sales" in values:
        ratios["sales_ta"] = over(values["sales"], assets, "Sales by assets")
    z = D(0)
    for name, ratio in ratios.items():
        part = D(rule["weights"][name]) * ratio
        z += part
        steps.append((f"{rule['weights'][name]} × {name}", round(float(part), 6), rule["source"]))
    zone = "distress" if z < D(rule["distress_below"]) else "grey" if z <= D(rule["safe_above"]) else "safe"
    steps.append(("Score", round(float(z), 6), rule["source"]))
    return {"z": round(float(z), 9), "zone": zone, "m": None, "flag": None}


def indexes_of(now, before, income, cash):
    line = lambda year, name: D(year[name])
    gross = lambda year: over(line(year, "sales") - line(year, "cost_of_sales"), line(year, "sales"), "Gross margin")
    soft = lambda year: 1 - over(line(year, "current_assets") + line(year, "fixed_assets") + line(year, "securities"), line(year, "total_assets"), "Asset quality")
    wear = lambda year: over(line(year, "depreciation"), line(year, "depreciation") + line(year, "fixed_assets"), "Depreciation rate")
    debt = lambda year: over(line(year, "current_liabilities") + line(year, "long_term_debt"), line(year, "total_assets"), "Leverage")
    part = lambda year, name: over(line(year, name), line(year, "sales"), name)
    return {
        "dsri": over(part(now, "receivables"), part(before, "receivables"), "DSRI"),
        "gmi": over(gross(before), gross(now), "GMI"),
        "aqi": over(soft(now), soft(before), "AQI"),
        "sgi": over(line(now, "sales"), line(before, "sales"), "SGI"),
        "depi": over(wear(before), wear(now), "DEPI"),
        "sgai": over(part(now, "selling_and_administration"), part(before, "selling_and_administration"), "SGAI"),
        "tata": over(income - cash, line(now, "total_assets"), "TATA"),
        "lvgi": over(debt(now), debt(before), "LVGI"),
    }


def beneish(inputs, params, steps):
    rule = params["beneish_1999"]
    now, before = inputs["current_year"], inputs["prior_year"]
    if now is not None and before is not None:
        income, cash = need(inputs, ("net_income", "operating_cash_flow"))
        indexes = indexes_of(now, before, income, cash)
    else:
        indexes = dict(zip(INDEXES, need(inputs, INDEXES)))
    m = D(rule["intercept"])
    for name in INDEXES:
        part = D(rule[name]) * indexes[name]
        m += part
        steps.append((f"{rule[name]} × {name.upper()}", round(float(part), 6), rule["source"]))
    steps.append(("Score", round(float(m), 6), rule["source"]))
    return {
        "z": None,
        "zone": None,
        "m": round(float(m), 9),
        "flag": m > D(rule["flag_above"]),
        "indexes": {name: round(float(value), 9) for name, value in indexes.items()},
    }


def run(inputs, params):
    steps, model = [], inputs["model"]
    if model == "beneish_1999":
        return {"outputs": beneish(inputs, params, steps), "steps": steps}
    return {"outputs": altman(inputs, params, model, steps), "steps": steps}
