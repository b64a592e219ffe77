package dev.berth.app.doctor;

/**
 * What a check came to.
 *
 * @param remedy what to do; empty where nothing needs doing
 */
record Finding(String what, Verdict verdict, String detail, String remedy) {

    enum Verdict {
        WELL,
        /** Not needed for everything. */
        NOTE,
        WRONG
    }

    static Finding well(String what, String detail) {
        return new Finding(what, Verdict.WELL, detail, "");
    }

    static Finding note(String what, String detail) {
        return new Finding(what, Verdict.NOTE, detail, "");
    }

    static Finding wrong(String what, String detail, String remedy) {
        return new Finding(what, Verdict.WRONG, detail, remedy);
    }
}
