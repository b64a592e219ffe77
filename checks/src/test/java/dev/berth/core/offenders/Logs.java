package dev.berth.core.offenders;

import org.slf4j.Logger;

/** Uses a logging library in core. */
public record Logs(Logger log) {}
