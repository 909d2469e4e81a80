package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class InfoCommandTest {

    @Test
    void info_forPeople_listsProvidersAndLimits() {
        CliRun info = CliRun.of("info");
        assertEquals(0, info.code(), info.err());
        assertTrue(info.out().contains("auto (the default)\n"), info.out());
        assertTrue(info.out().contains("\niwarp\n"), info.out());
        assertTrue(info.out().contains("queue pairs  "), info.out());
        assertTrue(info.out().contains("\nroce\n"), info.out());
        assertTrue(info.out().contains("\nshm\n"), info.out());
        assertTrue(info.out().contains("127.0.0.1"), "a device of roce: " + info.out());
        assertTrue(info.out().lines().count() < 100, info.out());
        info.out().lines().forEach(line -> assertTrue(line.length() <= 100, line));
        for (String provider : List.of("auto", "iwarp", "roce", "roce+iwarp", "shm")) {
            CliRun one = CliRun.of("info", "--provider", provider);
            assertTrue(one.out().lines().count() < 25, one.out());
        }
    }

    @Test
    void info_json_isOneObject() {
        CliRun info = CliRun.of("info", "--json", "--provider", "iwarp", "--inline");
        assertEquals(0, info.code(), info.err());
        assertTrue(info.out().startsWith("{\"ok\":true,\"version\":\""), info.out());
        assertTrue(info.out().contains("\"transport\":\"IWARP\""), info.out());
        assertEquals(1, info.out().lines().count());
    }
}
