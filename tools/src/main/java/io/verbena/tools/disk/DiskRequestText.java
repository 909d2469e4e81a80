package io.verbena.tools.disk;

import io.verbena.tools.disk.DiskRequest.Add;
import io.verbena.tools.disk.DiskRequest.SubsystemPlan;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/** The words of a {@link DiskRequest}. */
final class DiskRequestText {
    private static final String LINE = "\n";

    private DiskRequestText() {}

    static void put(Map<String, String> words, Add add) {
        DiskPlan disk = add.disk();
        words.put("nqn", add.subsystem().nqn());
        words.put("hosts", lines(add.subsystem().hosts()));
        words.put("cache", String.valueOf(add.subsystem().writeCache()));
        words.put("text", disk.spec().text());
        words.put("file", disk.spec().file().toString());
        disk.spec().sizeBytes().ifPresent(bytes -> words.put("bytes", String.valueOf(bytes)));
        words.put("block", String.valueOf(disk.blockBytes()));
        words.put("readOnly", String.valueOf(disk.readOnly()));
        words.put("faults", lines(disk.faults()));
        disk.record().ifPresent(file -> words.put("record", file.toString()));
        add.uuid().ifPresent(uuid -> words.put("uuid", uuid.toString()));
        words.put("visibleTo", lines(add.visibleTo()));
    }

    static Add add(Map<String, String> words) {
        OptionalLong bytes = words.containsKey("bytes")
                ? OptionalLong.of(Long.parseLong(word(words, "bytes")))
                : OptionalLong.empty();
        DiskPlan disk = new DiskPlan(
                new DiskSpec(word(words, "text"), Path.of(word(words, "file")), bytes),
                number(words, "block"),
                Boolean.parseBoolean(word(words, "readOnly")),
                list(words, "faults"),
                Optional.ofNullable(words.get("record")).map(Path::of));
        SubsystemPlan subsystem = new SubsystemPlan(
                word(words, "nqn"), Set.copyOf(list(words, "hosts")), Boolean.parseBoolean(word(words, "cache")));
        return new Add(
                subsystem,
                disk,
                Optional.ofNullable(words.get("uuid")).map(UUID::fromString),
                Set.copyOf(list(words, "visibleTo")));
    }

    static String word(Map<String, String> words, String name) {
        return Optional.ofNullable(words.get(name))
                .orElseThrow(() -> new IllegalArgumentException("The request has no '" + name + "'"));
    }

    static int number(Map<String, String> words, String name) {
        return Integer.parseInt(word(words, name));
    }

    private static String lines(Collection<String> texts) {
        return String.join(LINE, texts);
    }

    private static List<String> list(Map<String, String> words, String name) {
        return Arrays.stream(word(words, name).split(LINE, -1))
                .filter(text -> !text.isEmpty())
                .toList();
    }
}
