package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.outcome.Outcomes;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** One program, every provider, one outcome: the cases of the software providers over the fake adapter. */
class AdapterOutcomeTest {

    private static final Path NONE = Path.of("/none");

    @Test
    void everyCase_overTheFakeAdapter_hasItsOutcome() throws IOException {
        try (FakeLibrary fake = new FakeLibrary()) {
            IbverbsProvider provider = new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false);
            assertEquals(
                    "",
                    String.join(
                            "\n",
                            Outcomes.differences(
                                    () -> provider.open(RnicOptions.defaults()),
                                    "fake",
                                    Path.of("../docs/api-map.md"))));
        }
    }
}
