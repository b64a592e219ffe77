package dev.berth.findings.diagnosis;

import dev.berth.findings.diagnosis.AnalyzedLine.Role;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the tracebacks of Python line by line: of the interpreter, IPython and rich. Processes
 * print interleaved, so each has a state of its own.
 */
final class TracebackParser {

    private static final String HEADER = "Traceback (most recent call last)";

    private static final String CAUSED =
            "The above exception was the direct cause of the following exception";
    private static final String WHILE_HANDLED =
            "During handling of the above exception, another exception occurred";

    /**
     * Python 3.13 and others print exceptions whose names end otherwise, but not without frames.
     */
    private static final Pattern EXCEPTION_NAME =
            Pattern.compile(
                    "^(?:[A-Za-z_]\\w*+\\.)*+(?:[A-Z]\\w{0,60}?"
                        + "(?:Error|Exception|NotFound|Timeout|Impossible|Failure|Interrupt|Conflict|Refused|Denied)|\\w{1,20}error(?!:"
                        + " ?[-+.\\d]))(?:\\([^)]{1,60}\\))?(?::|$)");

    /** Before a traceback that is part of another text: an answer, a document that grep found. */
    private static final Pattern QUOTATION =
            Pattern.compile("(?:(?:^|\\s)>{1,3}\\s{0,4}|:\\d{1,7}[:-]\\s{0,16})$");

    /** Before the traceback of an exception that has no effect, because a destructor raised it. */
    private static final String IGNORED = "Exception ignored ";

    private static final int MAX_SPEAKERS = 512;

    private final Map<String, State> states = new HashMap<>();
    private final Map<Integer, Raised> raised = new HashMap<>();

    /** The style of the traceback that is being read. */
    private enum Style {
        NONE,
        PYTHON,
        /** Frames are not indented: a name of an exception ends it. */
        IPYTHON,
        /** Frames are in a box. */
        RICH,
        /** No failure of this program. */
        QUOTED
    }

    private static final class State {
        private Style style = Style.NONE;
        private int indent;
        private boolean isFlat;
        private boolean isAfterIndented;
        private boolean isIgnored;
        private Optional<String> frame = Optional.empty();
        private int lastException = -1;
        private Link link = Link.NONE;
    }

    /** How an exception follows from the one before it. */
    enum Link {
        NONE,
        /** {@code raise … from}. */
        CAUSED,
        /** Raised in an {@code except} block. */
        WHILE_HANDLED
    }

    /**
     * The exception at the end of a traceback.
     *
     * @param frame file and line of the last frame in the user's own code
     * @param earlier index of the exception that it follows from; -1 if there is none
     */
    record Raised(Optional<String> frame, Link link, int earlier) {}

    Map<Integer, Raised> raised() {
        return raised;
    }

    Role role(int index, String speaker, String text) {
        if (states.size() > MAX_SPEAKERS) {
            states.clear();
        }
        var state = states.computeIfAbsent(speaker, _ -> new State());
        var role = text.contains(HEADER) ? open(state, text) : next(state, text);
        if (role == Role.EXCEPTION) {
            raised.put(index, new Raised(state.frame, state.link, state.lastException));
            state.lastException = index;
            state.link = Link.NONE;
            state.frame = Optional.empty();
            state.style = Style.NONE;
        }
        state.isAfterIndented = Character.isWhitespace(text.charAt(0));
        state.isIgnored = text.startsWith(IGNORED);
        return role;
    }

    private static Role open(State state, String text) {
        state.style = state.isIgnored ? Style.QUOTED : style(text);
        state.indent = text.startsWith("+") || text.startsWith("  +") ? 0 : indent(text);
        state.isFlat = false;
        state.frame = Optional.empty();
        if (state.link == Link.NONE) {
            state.lastException = -1;
        }
        return Role.FRAME;
    }

    private static Style style(String header) {
        if (QUOTATION.matcher(header.substring(0, header.indexOf(HEADER))).find()) {
            return Style.QUOTED;
        }
        if (header.endsWith(HEADER + ":")) {
            return Style.PYTHON;
        }
        return header.stripTrailing().endsWith(HEADER) ? Style.IPYTHON : Style.RICH;
    }

    private static Role next(State state, String text) {
        state.frame = UserFrame.placeOf(text).or(() -> state.frame);
        return switch (state.style) {
            case PYTHON -> inPython(state, text);
            case IPYTHON -> EXCEPTION_NAME.matcher(text).find() ? Role.EXCEPTION : Role.FRAME;
            case RICH -> isBox(text) ? Role.FRAME : Role.EXCEPTION;
            case QUOTED -> inQuotation(state, text);
            case NONE -> outside(state, text);
        };
    }

    private static Role inQuotation(State state, String text) {
        state.style = indent(text) == 0 ? Style.NONE : Style.QUOTED;
        return Role.FRAME;
    }

    private static Role inPython(State state, String text) {
        if (indent(text) > state.indent) {
            return Role.FRAME;
        }
        var bare = text.strip();
        if (UserFrame.isFrame(bare)) {
            state.isFlat = true;
            return Role.FRAME;
        }
        // Some loggers remove the indentation, so that lines of source look like the exception.
        return state.isFlat && !EXCEPTION_NAME.matcher(bare).find() ? Role.FRAME : Role.EXCEPTION;
    }

    private static Role outside(State state, String text) {
        if (text.startsWith(CAUSED)) {
            state.link = Link.CAUSED;
        } else if (text.startsWith(WHILE_HANDLED)) {
            state.link = Link.WHILE_HANDLED;
        } else if (EXCEPTION_NAME.matcher(text).find()) {
            // If the text begins inside a traceback, only its indented frames show it.
            return state.isAfterIndented ? Role.EXCEPTION : Role.BARE;
        }
        return Role.PLAIN;
    }

    private static boolean isBox(String text) {
        return text.isEmpty() || "│╭╰┃┏┗|+├└".indexOf(text.strip().charAt(0)) >= 0;
    }

    private static int indent(String text) {
        int at = 0;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }
}
