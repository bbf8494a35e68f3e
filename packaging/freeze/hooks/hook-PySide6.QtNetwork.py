"""PyInstaller's own hook, without the plugins: Spindle uses local sockets only."""

from PyInstaller.utils.hooks.qt import add_qt6_dependencies

hiddenimports, _plugins, datas = add_qt6_dependencies(__file__)
