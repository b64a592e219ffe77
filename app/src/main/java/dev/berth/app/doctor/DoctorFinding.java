package dev.berth.app.doctor;

/**
 * The result of a check.
 *
 * @param remedy what to do; empty if nothing is needed
 */
record DoctorFinding(String check, FindingLevel level, String detail, String remedy) {

    enum FindingLevel {
        OK,
        /** Optional, and not available. */
        NOTE,
        WRONG
    }

    static DoctorFinding ok(String what, String detail) {
        return new DoctorFinding(what, FindingLevel.OK, detail, "");
    }

    static DoctorFinding note(String what, String detail) {
        return new DoctorFinding(what, FindingLevel.NOTE, detail, "");
    }

    static DoctorFinding wrong(String what, String detail, String remedy) {
        return new DoctorFinding(what, FindingLevel.WRONG, detail, remedy);
    }
}
