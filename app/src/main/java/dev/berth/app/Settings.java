package dev.berth.app;

import dev.berth.node.card.CardSource;
import dev.berth.server.DoorSettings;

/**
 * Everything a server is told when it starts.
 *
 * @param isQuiet log to the file only
 */
record Settings(
        Home home, DoorSettings door, CardSource cards, NodeLimits limits, boolean isQuiet) {}
