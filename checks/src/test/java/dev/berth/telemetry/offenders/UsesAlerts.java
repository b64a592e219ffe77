package dev.berth.telemetry.offenders;

import dev.berth.notify.offenders.UsesMetrics;

/** Depends on a module that it must not use. */
public record UsesAlerts(UsesMetrics other) {}
