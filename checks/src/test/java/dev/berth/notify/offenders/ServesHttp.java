package dev.berth.notify.offenders;

import org.eclipse.jetty.server.Server;

/** Answers HTTP requests outside server. */
public record ServesHttp(Server server) {}
