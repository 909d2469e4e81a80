package io.verbena.tools.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.tools.disk.DiskRequest.Add;
import io.verbena.tools.disk.DiskRequest.SubsystemPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiskRequestTest {
    static Stream<DiskRequest> requests() {
        DiskSpec odd = new DiskSpec("a b=c", Path.of("/x/ä =%\n.img"), OptionalLong.of(5));
        DiskSpec plain = new DiskSpec("f", Path.of("/f"), OptionalLong.empty());
        return Stream.of(
                new DiskRequest.Show(),
                new DiskRequest.Remove("nqn a", 3),
                new DiskRequest.Resize("nqn", 1, Long.MAX_VALUE),
                new Add(
                        new SubsystemPlan("nqn", Set.of("h1", "h2"), false),
                        new DiskPlan(odd, 4096, true, List.of("lost-flush*2"), Optional.of(Path.of("/r"))),
                        Optional.of(new UUID(1, 2)),
                        Set.of("h2")),
                new Add(
                        new SubsystemPlan("", Set.of(), true),
                        new DiskPlan(plain, 512, false, List.of(), Optional.empty()),
                        Optional.empty(),
                        Set.of()));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void request_asText_isReadBack(DiskRequest request) {
        assertEquals(request, DiskRequest.of(request.toText()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "do=", "do=format", "do=remove", "do=remove nqn=a namespace=x", "do=add nqn=a", "do=%"})
    void otherText_isNoRequest(String text) {
        assertThrows(IllegalArgumentException.class, () -> DiskRequest.of(text));
    }

    @Test
    void names_ofFilesWithColons_areFilesIfTheyExist() {
        assertThrows(IllegalArgumentException.class, () -> DiskSpec.parse("a:b", Long::parseLong));
        assertEquals(
                OptionalLong.of(7), DiskSpec.parse("a:b:7", Long::parseLong).sizeBytes());
    }
}
