package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class ConfigKeysTest {

    @Test
    void everyKeyIsDocumented() throws IOException {
        var text =
                Files.readString(
                        Path.of(System.getProperty("berth.root"), "docs", "configuration.md"));

        assertThat(ConfigKeys.ALL)
                .allSatisfy(key -> assertThat(text).contains("`" + key.name() + "`"));
        assertThat(ConfigKeys.FAMILIES)
                .allSatisfy(
                        family -> assertThat(text).contains("`" + family.documentedName() + "`"));
        assertThat(NotificationKeys.fieldNames())
                .allSatisfy(field -> assertThat(text).contains("`messages[]." + field + "`"));
    }

    @Test
    void noNameMatchesTwoKeys() {
        assertThat(ConfigKeys.ALL.stream().map(ConfigKey::name)).doesNotHaveDuplicates();
        assertThat(ConfigKeys.ALL.stream().map(ConfigKey::environmentVariable))
                .doesNotHaveDuplicates();
    }

    @Test
    void findsAKeyWithAndWithoutItsGroup() {
        assertThat(ConfigKeys.find("gpu_ids")).contains(ConfigKeys.GPU_IDS);
        assertThat(ConfigKeys.find("scheduler.gpu_ids")).contains(ConfigKeys.GPU_IDS);
        assertThat(ConfigKeys.find("scheduler.port")).contains(ConfigKeys.PORT);
        assertThat(ConfigKeys.find("gpu_idz")).isEmpty();
    }
}
