package dev.berth.cli.offenders;

import org.eclipse.jetty.server.Server;

/** Uses the server's HTTP library. */
public record UsesJetty(Server server) {}
