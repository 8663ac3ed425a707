"""matplotlib's back end in a kernel: draws with Agg, and `show()` shows the open figures in the notebook."""

import builtins

from matplotlib.backend_bases import _Backend
from matplotlib.backends.backend_agg import FigureCanvasAgg, _BackendAgg

FigureCanvas = FigureCanvasAgg


@_Backend.export
class _BackendCountersign(_BackendAgg):
    @staticmethod
    def show(*_, **__):
        from matplotlib import pyplot

        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            builtins.display(figure)
            pyplot.close(figure)
