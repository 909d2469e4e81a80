package io.verbena.verbs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Attributes of an RNIC that is to be opened. Start from {@link #defaults()} and change what matters, by the
 * {@code with…} methods or, for several attributes at once, by {@link #toBuilder()}. Immutable.
 *
 * @param provider name of the provider; empty for the best one available
 * @param progress which threads drive the RNIC
 * @param engines number of engines, 1 to 256 (threads with {@link Progress#ENGINE_THREAD}); queue pairs are distributed
 *     over them
 * @param crc whether connections request a checksum on every frame; a peer that requests one always gets it
 * @param markers whether connections request MPA markers in the frames they receive
 * @param maxFpduPayloadBytes maximum payload of one frame, 64 to 64,750; on a real network 1,424 bytes fit one TCP
 *     segment
 * @param socketBufferBytes requested size of socket buffers; 0 leaves the choice to the system
 * @param captureFile file for a capture of all traffic (pcapng); empty for none
 * @param device name of one of the provider's devices; empty for the first
 * @param settings provider-specific settings by name
 */
public record RnicOptions(
        String provider,
        Progress progress,
        int engines,
        boolean crc,
        boolean markers,
        int maxFpduPayloadBytes,
        int socketBufferBytes,
        String captureFile,
        String device,
        Map<String, String> settings) {

    /** Name of the setting that {@link #withEngineCores} writes: the cores of each engine, such as "0,1;2,3". */
    public static final String ENGINE_CORES = "engine-cores";

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public RnicOptions {
        require(engines >= 1 && engines <= 256, "engines must be 1 to 256, not " + engines);
        require(
                progress == Progress.ENGINE_THREAD || engines == 1,
                "an INLINE RNIC has exactly one engine, not " + engines + "; use ENGINE_THREAD for more");
        require(
                maxFpduPayloadBytes >= 64 && maxFpduPayloadBytes <= 64_750,
                "maxFpduPayloadBytes must be 64 to 64750, not " + maxFpduPayloadBytes);
        require(socketBufferBytes >= 0, "socketBufferBytes must be 0 or more, not " + socketBufferBytes);
        settings = Map.copyOf(settings);
    }

    /** Best provider, one engine thread, no CRC, no markers, frames of 32 KiB, no capture. */
    public static RnicOptions defaults() {
        return new Builder().build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    public RnicOptions withProvider(String name) {
        return toBuilder().provider(name).build();
    }

    public RnicOptions withProgress(Progress value) {
        return toBuilder().progress(value).build();
    }

    public RnicOptions withEngines(int value) {
        return toBuilder().engines(value).build();
    }

    public RnicOptions withCrc(boolean value) {
        return toBuilder().crc(value).build();
    }

    public RnicOptions withMarkers(boolean value) {
        return toBuilder().markers(value).build();
    }

    public RnicOptions withMaxFpduPayloadBytes(int value) {
        return toBuilder().maxFpduPayloadBytes(value).build();
    }

    public RnicOptions withSocketBufferBytes(int value) {
        return toBuilder().socketBufferBytes(value).build();
    }

    public RnicOptions withCaptureFile(String path) {
        return toBuilder().captureFile(path).build();
    }

    public RnicOptions withDevice(String name) {
        return toBuilder().device(name).build();
    }

    public RnicOptions withSettings(Map<String, String> values) {
        return toBuilder().settings(values).build();
    }

    /**
     * Binds engine threads to cores: the first engine to the first set, and so on; if there are fewer sets than
     * engines, the sets are reused in turn. Linux only; elsewhere, or if the system refuses, the engines run unbound
     * and the log states the reason.
     *
     * @throws IllegalArgumentException if a set is empty
     */
    public RnicOptions withEngineCores(List<Set<Integer>> cores) {
        List<String> sets = new ArrayList<>();
        for (Set<Integer> each : cores) {
            require(!each.isEmpty(), "each set of engine cores must contain at least one core, not " + cores);
            sets.add(each.stream().sorted().map(String::valueOf).collect(Collectors.joining(",")));
        }
        Map<String, String> more = new HashMap<>(settings);
        more.put(ENGINE_CORES, String.join(";", sets));
        return withSettings(more);
    }

    private static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence);
        }
    }

    /** Collects the attributes of an RNIC; {@link #build()} checks them together. Not thread-safe. */
    public static final class Builder {
        private String provider = "";
        private Progress progress = Progress.ENGINE_THREAD;
        private int engines = 1;
        private boolean crc;
        private boolean markers;
        private int maxFpduPayloadBytes = 32_768;
        private int socketBufferBytes;
        private String captureFile = "";
        private String device = "";
        private Map<String, String> settings = Map.of();

        private Builder() {}

        private Builder(RnicOptions from) {
            provider = from.provider;
            progress = from.progress;
            engines = from.engines;
            crc = from.crc;
            markers = from.markers;
            maxFpduPayloadBytes = from.maxFpduPayloadBytes;
            socketBufferBytes = from.socketBufferBytes;
            captureFile = from.captureFile;
            device = from.device;
            settings = from.settings;
        }

        public Builder provider(String name) {
            provider = name;
            return this;
        }

        public Builder progress(Progress value) {
            progress = value;
            return this;
        }

        public Builder engines(int value) {
            engines = value;
            return this;
        }

        public Builder crc(boolean value) {
            crc = value;
            return this;
        }

        public Builder markers(boolean value) {
            markers = value;
            return this;
        }

        public Builder maxFpduPayloadBytes(int value) {
            maxFpduPayloadBytes = value;
            return this;
        }

        public Builder socketBufferBytes(int value) {
            socketBufferBytes = value;
            return this;
        }

        public Builder captureFile(String path) {
            captureFile = path;
            return this;
        }

        public Builder device(String name) {
            device = name;
            return this;
        }

        public Builder settings(Map<String, String> values) {
            settings = values;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if a value is out of range
         */
        public RnicOptions build() {
            return new RnicOptions(
                    provider,
                    progress,
                    engines,
                    crc,
                    markers,
                    maxFpduPayloadBytes,
                    socketBufferBytes,
                    captureFile,
                    device,
                    settings);
        }
    }
}
