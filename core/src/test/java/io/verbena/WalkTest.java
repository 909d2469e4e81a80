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
import org.junit.jupiter.api.Test;

/** WALK.md names files and methods that exist. */
class WalkTest {

    private static final Path SOURCES = Path.of("src/main/java/io/verbena");

    /** {@code queue/WorkQueue.claim}: the path of a class, and a method if one is named. */
    private static final Pattern PLACE = Pattern.compile("`([a-z/]+/[A-Z]\\w*)(?:\\.(\\w+))?`");

    @Test
    void walk_everyPlaceThatItNames_exists() throws IOException {
        List<String> missing = new ArrayList<>();
        int places = 0;
        Matcher place = PLACE.matcher(Files.readString(Path.of("../WALK.md")));
        while (place.find()) {
            places++;
            Path file = SOURCES.resolve(place.group(1) + ".java");
            String method = place.group(2);
            if (!Files.exists(file)) {
                missing.add(place.group());
            } else if (method != null && !Files.readString(file).contains(" " + method + "(")) {
                missing.add(place.group());
            }
        }
        assertTrue(places > 40, () -> "the pattern finds the places");
        assertEquals(List.of(), missing);
    }
}
