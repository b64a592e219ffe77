package dev.berth.cli.offenders;

import org.eclipse.jetty.server.Server;

/** Offends by the server's HTTP library. */
public record KnowsJetty(Server server) {}
