package dev.berth.checks;

/**
 * One place that breaks a rule.
 *
 * @param where names the place without line numbers
 */
record Violation(String where, String what) {
    @Override
    public String toString() {
        return where + ": " + what;
    }
}
