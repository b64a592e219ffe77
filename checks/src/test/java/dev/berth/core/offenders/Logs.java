package dev.berth.core.offenders;

import org.slf4j.Logger;

/** Offends by a library in the core. */
public record Logs(Logger log) {}
