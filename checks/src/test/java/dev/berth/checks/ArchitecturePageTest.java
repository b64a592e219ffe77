package dev.berth.checks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;

class ArchitecturePageTest {
    private static final Path ROOT = Path.of(System.getProperty("berth.root", ".."));
    private static final ArchitecturePage PAGE = ArchitecturePage.of(ROOT);

    @Test
    void everyModuleIsListedWithTheModulesItUses() {
        var expected = ArchitecturePage.modulesOfThePoms(ROOT);

        assertThat(expected).containsKey("core").hasSizeGreaterThan(15);
        assertThat(PAGE.modules()).isEqualTo(expected);
    }

    @Test
    void everydayChangesHaveAPathThatExists() {
        assertThat(PAGE.changes()).isGreaterThanOrEqualTo(20);
        assertThat(PAGE.violations(ROOT)).isEmpty();
    }

    @Test
    void aMissingPathAndARowWithoutAPathAreFound() {
        var page =
                new ArchitecturePage(
                        """

                        ## Where do I change …?

                        | Change | Where |
                        |---|---|
                        | an existing file | `pom.xml` and the `*Row` classes |
                        | a removed file | `core/Removed.java` |
                        | anything | somewhere |

                        ## Next section
                        """);

        assertThat(page.violations(ROOT))
                .extracting(Violation::where)
                .containsExactly("core/Removed.java", "no path");
    }
}
