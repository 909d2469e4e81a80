package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Ranks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples do what they say; here their ranks are threads. */
class MessagingExamplesTest {

    @Test
    void pingPong_smallAndLarge_plays() {
        Ranks.run(2, world -> {
            PingPong.play(world, 8, 200);
            PingPong.play(world, 100_000, 20);
        });
    }

    @Test
    void halo_anyNumberOfRanks_sameHeat() {
        double[] heat = new double[3];
        for (int ranks = 1; ranks <= 3; ranks++) {
            int size = ranks;
            Ranks.run(size, world -> {
                double sum = Halo.simulate(world, 48, 20);
                if (world.rank() == 0) {
                    heat[size - 1] = sum;
                }
            });
        }
        assertEquals(1_000_000.0, heat[0], 1e-3);
        assertEquals(heat[0], heat[1], 1e-6);
        assertEquals(heat[0], heat[2], 1e-6);
    }

    @Test
    void sampleSort_aFile_itsLinesAreSorted(@TempDir Path folder) throws Exception {
        Random random = new Random(1);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            lines.add(Long.toString(random.nextLong(), 36).repeat(random.nextInt(3)));
        }
        Path in = folder.resolve("in.txt");
        Path out = folder.resolve("out.txt");
        Files.write(in, lines);
        Ranks.run(3, MessagingOptions.defaults(), world -> SampleSort.sort(world, in, out));
        lines.sort(null);
        assertEquals(lines, Files.readAllLines(out));
    }
}
