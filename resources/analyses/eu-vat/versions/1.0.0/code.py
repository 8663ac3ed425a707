from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


ALIASES = {"EL": "GR", "UK": "GB"}


def run(inputs, params):
    country = inputs["country"].strip().upper()
    country = ALIASES.get(country, country)
    table = params.get(country)
    if table is None:
        known = ", ".join(sorted(name for name in params if len(name) == 2))
        raise ValueError(f"There are no rates for {country}. Known: {known}.")
    wanted = inputs["rate"]
    if wanted not in table["rates"]:
        names = ", ".join(table["rates"])
        raise ValueError(f"{country} has no rate called {wanted} on {inputs['date']}; it has: {names}.")
    if (inputs["net"] is None) == (inputs["gross"] is None):
        raise ValueError("Give either net or gross.")
    percent = D(table["rates"][wanted])
    rate = percent / 100
    if inputs["net"] is not None:
        net = D(inputs["net"])
        vat = cent(net * rate)
        gross = cent(net + vat)
        net = cent(net)
    else:
        gross = D(inputs["gross"])
        vat = cent(gross * rate / (1 + rate))
        net = cent(gross - vat)
        gross = cent(gross)
    law = "Directive 2006/112/EC arts. 96-99"
    return {
        "outputs": {
            "rate": float(rate),
            "vat": vat,
            "net": net,
            "gross": gross,
            "valid_from": table["valid_from"],
        },
        "steps": [
            ("Rate on the day of the tax point, in percent", float(percent), law + ", art. 63 for the date"),
            ("Value-added tax", vat, law),
            ("Net", net, None),
            ("Gross", gross, None),
        ],
    }
