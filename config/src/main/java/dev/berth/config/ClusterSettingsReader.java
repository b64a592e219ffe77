package dev.berth.config;

import dev.berth.config.Configuration.SlurmConfig;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Builds the settings of a cluster. */
final class ClusterSettingsReader {

    private static final Pattern GPU_TYPE = Pattern.compile("([A-Za-z][\\w.-]{0,62}):(\\d{1,5})");
    private static final long MIB_PER_GB = 1024;

    private ClusterSettingsReader() {}

    static Optional<SlurmConfig> of(ConfigValues values, Path home) throws InvalidConfigException {
        if (!values.get(ClusterKeys.ENGINE).equals("slurm")) {
            return Optional.empty();
        }
        refuseUserRanks(values);
        refuseModels(values);
        return Optional.of(
                new SlurmConfig(
                        values.find(ClusterKeys.SHARED_DIR)
                                .map(text -> home.resolve(text).normalize()),
                        values.find(ClusterKeys.WINDOW)
                                .map(number -> OptionalInt.of(number.intValue()))
                                .orElse(OptionalInt.empty()),
                        values.find(ClusterKeys.PARTITION),
                        values.find(ClusterKeys.ACCOUNT),
                        values.find(ClusterKeys.QOS),
                        values.get(ClusterKeys.OPTIONS),
                        gpuTypes(values),
                        values.get(ClusterKeys.HEAL)));
    }

    /** Between users Slurm's own priorities decide. */
    private static void refuseUserRanks(ConfigValues values) throws InvalidConfigException {
        for (var family : List.of(ShareKeys.WEIGHT, ShareKeys.VIP, ShareKeys.GROUP_WEIGHT)) {
            for (var member : values.membersOf(family).keySet()) {
                var key = family.keyOf(member);
                throw new InvalidConfigException(
                        values.source(key)
                                + ": "
                                + key.name()
                                + " has no effect with engine: slurm, where Slurm orders users; set"
                                + " their priorities with sacctmgr and remove this key");
            }
        }
    }

    /** Workers would start on the login node. */
    private static void refuseModels(ConfigValues values) throws InvalidConfigException {
        for (var model : values.membersOf(ModelKeys.WORKER).keySet()) {
            var key = ModelKeys.WORKER.keyOf(model);
            throw new InvalidConfigException(
                    values.source(key)
                            + ": "
                            + key.name()
                            + ": model workers run on one machine only, not with engine: slurm;"
                            + " remove this key");
        }
    }

    private static SortedMap<String, Long> gpuTypes(ConfigValues values)
            throws InvalidConfigException {
        var types = new TreeMap<String, Long>();
        for (var text : values.get(ClusterKeys.GPU_TYPES)) {
            var found = GPU_TYPE.matcher(text.strip());
            if (!found.matches()) {
                throw new InvalidConfigException(
                        values.source(ClusterKeys.GPU_TYPES)
                                + ": slurm.gpu_types is a list of TYPE:GB such as a100:80, not "
                                + text);
            }
            types.put(found.group(1), Long.parseLong(found.group(2)) * MIB_PER_GB);
        }
        return types;
    }
}
