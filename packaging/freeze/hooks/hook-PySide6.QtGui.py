"""PyInstaller's own hook, without the plugins for devices without a display server and for GTK, whose libraries would
come with them."""

from PyInstaller.utils.hooks.qt import add_qt6_dependencies

_LEFT_OUT = ("eglfs", "egldevice", "linuxfb", "minimalegl", "vkkhrdisplay", "vnc", "qgtk3", "/generic/", "tiff")

hiddenimports, binaries, datas = add_qt6_dependencies(__file__)
binaries = [each for each in binaries if not any(word in each[0] for word in _LEFT_OUT)]
