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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The walks name files and methods that exist. */
class WalkTest {

    /** {@code queue/WorkQueue.claim}: the path of a class, and a method if one is named. */
    private static final Pattern PLACE = Pattern.compile("`([a-z/]+/[A-Z]\\w*)(?:\\.(\\w+))?`");

    @ParameterizedTest
    @CsvSource({
        "WALK.md, core, 40",
        "docs/walk-shared-memory.md, core, 25",
        "docs/walk-roce.md, core, 25",
        "docs/walk-sockets.md, sockets, 35"
    })
    void walk_everyPlaceThatItNames_exists(String walk, String module, int least) throws IOException {
        Path all = Path.of("..", module, "src/main/java/io/verbena");
        Path sources = module.equals("core") ? all : all.resolve(module);
        List<String> missing = new ArrayList<>();
        int places = 0;
        Matcher place = PLACE.matcher(Files.readString(Path.of("..").resolve(walk)));
        while (place.find()) {
            places++;
            Path file = sources.resolve(place.group(1) + ".java");
            String method = place.group(2);
            if (!Files.exists(file)) {
                missing.add(place.group());
            } else if (method != null && !Files.readString(file).contains(" " + method + "(")) {
                missing.add(place.group());
            }
        }
        int found = places;
        assertTrue(found > least, () -> "the pattern finds the places: " + found);
        assertEquals(List.of(), missing);
    }
}
