package dev.berth.findings.diagnosis;

import java.util.Map;
import java.util.Set;

/**
 * A Python module that could not be imported.
 *
 * @param name with dots, as in the message
 */
record PythonModule(String name) {

    /** Removed from newer versions of Python; also what only Python 2 had. */
    private static final Set<String> REMOVED =
            words(
                    """
                    distutils imp asynchat asyncore smtpd cgi cgitb crypt imghdr sndhdr mailcap
                    msilib nis nntplib ossaudiodev pipes spwd sunau telnetlib uu xdrlib lib2to3
                    audioop aifc chunk parser formatter symbol binhex macpath cPickle cStringIO
                    StringIO ConfigParser Queue urllib2 urlparse httplib commands Tkinter
                    tkMessageBox __builtin__ HTMLParser SocketServer copy_reg thread
                    dummy_threading BaseHTTPServer cookielib xmlrpclib exceptions
                    """);

    /** In every current version: its absence means an old or incomplete Python. */
    private static final Set<String> STANDARD =
            words(
                    """
                    abc argparse array ast asyncio base64 bisect builtins bz2 cProfile calendar
                    cmath codecs collections concurrent configparser contextlib contextvars copy
                    csv ctypes curses dataclasses datetime dbm decimal difflib dis email enum
                    faulthandler fcntl filecmp fnmatch fractions ftplib functools gc getpass glob
                    graphlib gzip hashlib heapq hmac html http importlib inspect io ipaddress
                    itertools json logging lzma math mmap multiprocessing numbers operator os
                    pathlib pdb pickle pkgutil platform pprint queue random re readline resource
                    sched secrets select shelve shlex shutil signal site smtplib socket
                    socketserver sqlite3 ssl stat statistics string struct subprocess sys
                    sysconfig tarfile tempfile textwrap threading time timeit tkinter token
                    tokenize tomllib trace traceback turtle types typing unicodedata unittest
                    urllib uuid venv warnings wave weakref winreg winsound xml xmlrpc zipfile zlib
                    zoneinfo msvcrt _winapi
                    """);

    /** Parts of a project rather than packages. */
    private static final Set<String> PROJECT_PARTS =
            words(
                    """
                    utils util models model data dataset config configs src lib libs core engine
                    modules layers networks network losses train trainer tools common scripts
                    options helpers preprocess dataloader data_loader dataloaders
                    """);

    /** The packages that provide a module, where the two names differ. */
    private static final Map<String, String> PACKAGES =
            Map.ofEntries(
                    Map.entry("cv2", "opencv-python"),
                    Map.entry("PIL", "pillow"),
                    Map.entry("sklearn", "scikit-learn"),
                    Map.entry("skimage", "scikit-image"),
                    Map.entry("yaml", "pyyaml"),
                    Map.entry("bs4", "beautifulsoup4"),
                    Map.entry("dateutil", "python-dateutil"),
                    Map.entry("pkg_resources", "setuptools"),
                    Map.entry("attr", "attrs"),
                    Map.entry("Crypto", "pycryptodome"),
                    Map.entry("OpenSSL", "pyopenssl"),
                    Map.entry("dotenv", "python-dotenv"),
                    Map.entry("docx", "python-docx"),
                    Map.entry("fitz", "pymupdf"),
                    Map.entry("git", "gitpython"),
                    Map.entry("igraph", "python-igraph"),
                    Map.entry("jose", "python-jose"),
                    Map.entry("magic", "python-magic"),
                    Map.entry("MySQLdb", "mysqlclient"),
                    Map.entry("psycopg2", "psycopg2-binary"),
                    Map.entry("serial", "pyserial"),
                    Map.entry("usb", "pyusb"),
                    Map.entry("wx", "wxpython"),
                    Map.entry("zmq", "pyzmq"),
                    Map.entry("faiss", "faiss-cpu"),
                    Map.entry("flash_attn", "flash-attn"),
                    Map.entry("flash_attn_2_cuda", "flash-attn"),
                    Map.entry("pytorch_lightning", "pytorch-lightning"),
                    Map.entry("Bio", "biopython"),
                    Map.entry("umap", "umap-learn"),
                    Map.entry("hydra", "hydra-core"),
                    Map.entry("mpl_toolkits", "matplotlib"),
                    Map.entry("absl", "absl-py"),
                    Map.entry("Levenshtein", "python-levenshtein"),
                    Map.entry("sentence_transformers", "sentence-transformers"),
                    Map.entry("huggingface_hub", "huggingface-hub"),
                    Map.entry("tensorflow_datasets", "tensorflow-datasets"),
                    Map.entry("torch_geometric", "torch-geometric"),
                    Map.entry("torch_scatter", "torch-scatter"),
                    Map.entry("torch_sparse", "torch-sparse"));

    private static Set<String> words(String text) {
        return Set.of(text.strip().split("\\s+"));
    }

    String top() {
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    /** The package to install. */
    String packageName() {
        return PACKAGES.getOrDefault(top(), top());
    }

    /** Which of the sentences about a missing module applies; empty for the general one. */
    String variant() {
        var top = top();
        if (REMOVED.contains(top)) {
            return "removed";
        }
        if (STANDARD.contains(top)
                || (top.startsWith("_") && STANDARD.contains(top.substring(1)))) {
            return "standard";
        }
        if (PROJECT_PARTS.contains(top)) {
            return "own";
        }
        // Python imports the package first, so a submodule is missing only in an installed one.
        return name.contains(".") ? "submodule" : "";
    }
}
