package dev.berth.server.lane;

import dev.berth.core.lane.Mode;

import java.util.OptionalLong;

/** Which command files are being run now. */
@FunctionalInterface
public interface RunningConfigs {

    RunningConfigs NONE = (_, _) -> OptionalLong.empty();

    /** The number of the run that goes on with this config. */
    OptionalLong pid(Mode mode, int index);
}
