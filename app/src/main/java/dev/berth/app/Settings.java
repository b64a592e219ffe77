package dev.berth.app;

import dev.berth.node.card.CardSource;
import dev.berth.server.config.Configuration;

/**
 * Everything a server is told when it starts.
 *
 * @param isQuiet log to the file only
 */
record Settings(Home home, Configuration config, CardSource cards, boolean isQuiet) {}
