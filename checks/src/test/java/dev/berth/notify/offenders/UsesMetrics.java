package dev.berth.notify.offenders;

import dev.berth.telemetry.offenders.UsesAlerts;

/** Depends on a module that it must not use. */
public record UsesMetrics(UsesAlerts other) {}
