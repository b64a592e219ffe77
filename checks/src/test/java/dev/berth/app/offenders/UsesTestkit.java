package dev.berth.app.offenders;

import dev.berth.testkit.offenders.UsesServer;

/** Depends on a module that it must not use. */
public record UsesTestkit(UsesServer other) {}
