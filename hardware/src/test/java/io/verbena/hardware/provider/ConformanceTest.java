package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.outcome.Conformance;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The conformance table of all providers over the fake adapter. */
class ConformanceTest {

    private static final Path NONE = Path.of("/none");

    @Test
    void everyAssertion_overTheFakeAdapter_holds() throws IOException {
        try (FakeLibrary fake = new FakeLibrary()) {
            IbverbsProvider provider = new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false);
            assertEquals(
                    "",
                    String.join(
                            "\n",
                            Conformance.differences(
                                    () -> provider.open(RnicOptions.defaults()),
                                    "fake",
                                    Path.of("../docs/api-map.md"))));
        }
    }

    @Test
    void table_isAboutAsLargeAsThatOfPyverbs() {
        assertTrue(Conformance.count() >= 80, () -> Conformance.count() + " assertions");
    }
}
