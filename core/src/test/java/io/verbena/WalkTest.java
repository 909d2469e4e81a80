package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The walks name files and methods that exist. */
class WalkTest {

    /** {@code queue/WorkQueue.claim}: the path of a class, and a method if one is named. */
    private static final Pattern PLACE = Pattern.compile("`([a-z/]+/[A-Z]\\w*)(?:\\.(\\w+))?`");

    @ParameterizedTest
    @CsvSource({
        "WALK.md, core/src/main/java/io/verbena, 40",
        "docs/walk-shared-memory.md, core/src/main/java/io/verbena, 25",
        "docs/walk-roce.md, core/src/main/java/io/verbena, 25",
        "docs/walk-sockets.md, sockets/src/main/java/io/verbena/sockets, 35",
        "docs/walk-storage.md, storage/src/main/java/io/verbena/storage, 30",
        "docs/walk-figure.md, core/src/main/java/io/verbena web/src/main/java/io/verbena tools/src/main/java/io/verbena, 15"
    })
    void walk_everyPlaceThatItNames_exists(String walk, String folders, int least) throws IOException {
        List<String> missing = new ArrayList<>();
        int places = 0;
        Matcher place = PLACE.matcher(Files.readString(Path.of("..").resolve(walk)));
        while (place.find()) {
            places++;
            if (!exists(folders, place.group(1), place.group(2))) {
                missing.add(place.group());
            }
        }
        int found = places;
        assertTrue(found > least, () -> "the pattern finds the places: " + found);
        assertEquals(List.of(), missing);
    }

    private static boolean exists(String folders, String name, @Nullable String method) throws IOException {
        for (String folder : folders.split(" ")) {
            Path file = Path.of("..", folder, name + ".java");
            if (Files.exists(file)) {
                return method == null || Files.readString(file).contains(" " + method + "(");
            }
        }
        return false;
    }
}
