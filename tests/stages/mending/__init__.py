"""How drawn vectors are made to fit together, one module a room: a queue's load stays under its servers."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
