package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class KeysTest {

    @Test
    void everyKeyIsInTheDocumentation() throws IOException {
        var text =
                Files.readString(
                        Path.of(System.getProperty("berth.root"), "docs", "configuration.md"));

        assertThat(Keys.ALL).allSatisfy(key -> assertThat(text).contains("`" + key.name() + "`"));
        assertThat(SchedulingKeys.FAMILIES)
                .allSatisfy(family -> assertThat(text).contains("`" + family.shown() + "`"));
        assertThat(MessageKeys.fieldNames())
                .allSatisfy(field -> assertThat(text).contains("`messages[]." + field + "`"));
    }

    @Test
    void noTwoKeysCanBeMeantByOneName() {
        assertThat(Keys.ALL.stream().map(Key::name)).doesNotHaveDuplicates();
        assertThat(Keys.ALL.stream().map(Key::variable)).doesNotHaveDuplicates();
    }

    @Test
    void aKeyIsKnownWithAndWithoutItsGroup() {
        assertThat(Keys.named("gpu_ids")).contains(Keys.GPU_IDS);
        assertThat(Keys.named("scheduler.gpu_ids")).contains(Keys.GPU_IDS);
        assertThat(Keys.named("scheduler.port")).contains(Keys.PORT);
        assertThat(Keys.named("gpu_idz")).isEmpty();
    }
}
