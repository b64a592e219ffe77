package dev.berth.app;

import dev.berth.node.card.CardSettings;
import dev.berth.server.identity.Auth;

/**
 * Everything a server is told when it starts.
 *
 * @param isQuiet log to the file only
 */
record Settings(
        Home home, int port, Auth auth, CardSettings cards, NodeLimits limits, boolean isQuiet) {}
