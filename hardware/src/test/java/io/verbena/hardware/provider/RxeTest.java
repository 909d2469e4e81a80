package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.outcome.Conformance;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is peculiar to rxe, the RoCE adapter of Linux in software. */
class RxeTest {

    private static final Path NONE = Path.of("/none");

    @Test
    void invalidatedKey_withTheFlagOfTheKernel_isReported() throws IOException {
        try (FakeLibrary fake = new FakeLibrary()) {
            fake.rxe();
            IbverbsProvider provider = new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false);
            assertEquals(
                    List.of(),
                    Conformance.differences(
                            () -> provider.open(RnicOptions.defaults()),
                            "fake",
                            Path.of("../docs/api-map.md"),
                            name -> name.contains("invalidate")));
        }
    }
}
