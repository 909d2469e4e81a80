package io.verbena.verbs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Attributes of an RNIC that is to be opened. Start from {@link #defaults()} and change what matters, by the
 * {@code with…} methods or, for several attributes at once, by {@link #toBuilder()}. Immutable.
 *
 * @param provider name of the provider; empty for the best one available
 * @param progress which threads drive the RNIC
 * @param engines number of engines, 1 to 256 (threads with {@link Progress#ENGINE_THREAD}); queue pairs are distributed
 *     over them
 * @param iwarp attributes for iWARP
 * @param infiniband attributes for the InfiniBand transport
 * @param captureFile file for a capture of all traffic (pcapng); empty for none
 * @param device name of one of the provider's devices, such as the local IP address of an RNIC of provider
 *     {@code roce}; empty leaves the choice to the provider. An RNIC of {@code roce} can have up to three further
 *     addresses, after
 *     commas, for {@linkplain ConnectionOptions#withPaths paths} of its connections; peers connect to the first one
 * @param settings provider-specific settings by name
 */
public record RnicOptions(
        String provider,
        Progress progress,
        int engines,
        IwarpOptions iwarp,
        InfinibandOptions infiniband,
        String captureFile,
        String device,
        Map<String, String> settings) {

    /** Maximum number of engines of an RNIC; a provider may support fewer, see {@link RnicProvider#maxEngines()}. */
    public static final int MOST_ENGINES = 256;

    /** Name of the setting that {@link #withEngineCores} writes: the cores of each engine, such as "0,1;2,3". */
    public static final String ENGINE_CORES = "engine-cores";

    /** Name of the setting that {@link #withConnectionRecord} writes. */
    public static final String CONNECTION_RECORD = "connection-record";

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public RnicOptions {
        require(engines >= 1 && engines <= MOST_ENGINES, "engines must be 1 to " + MOST_ENGINES + ", not " + engines);
        require(
                progress == Progress.ENGINE_THREAD || engines == 1,
                "an INLINE RNIC has exactly one engine, not " + engines + "; use ENGINE_THREAD for more");
        settings = Map.copyOf(settings);
    }

    /** Best provider, one engine thread, the defaults of each transport, no capture. */
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

    /** With other attributes for iWARP: {@code options.withIwarp(iwarp -> iwarp.withMarkers(true))}. */
    public RnicOptions withIwarp(UnaryOperator<IwarpOptions> change) {
        return toBuilder().iwarp(change.apply(iwarp)).build();
    }

    /** With other attributes for the InfiniBand transport. */
    public RnicOptions withInfiniband(UnaryOperator<InfinibandOptions> change) {
        return toBuilder().infiniband(change.apply(infiniband)).build();
    }

    /** iWARP: short for {@link #withIwarp} with {@link IwarpOptions#withCrc}. */
    public RnicOptions withCrc(boolean value) {
        return withIwarp(it -> it.withCrc(value));
    }

    /** iWARP: short for {@link #withIwarp} with {@link IwarpOptions#withMarkers}. */
    public RnicOptions withMarkers(boolean value) {
        return withIwarp(it -> it.withMarkers(value));
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
        return withSetting(ENGINE_CORES, String.join(";", sets));
    }

    /**
     * Records the connections of the RNIC in a file, which is created if it does not exist. If the process is killed, the next RNIC with this
     * file ends the connections that are left, so that their peers can connect again at once. Without it, a peer of a killed process
     * notices the end when its retries do, after seconds. Provider {@code roce}; over TCP the operating system ends the connections.
     */
    public RnicOptions withConnectionRecord(String path) {
        return withSetting(CONNECTION_RECORD, path);
    }

    private RnicOptions withSetting(String name, String value) {
        Map<String, String> more = new HashMap<>(settings);
        more.put(name, value);
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
        private IwarpOptions iwarp = IwarpOptions.defaults();
        private InfinibandOptions infiniband = InfinibandOptions.defaults();
        private String captureFile = "";
        private String device = "";
        private Map<String, String> settings = Map.of();

        private Builder() {}

        private Builder(RnicOptions from) {
            provider = from.provider;
            progress = from.progress;
            engines = from.engines;
            iwarp = from.iwarp;
            infiniband = from.infiniband;
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

        public Builder iwarp(IwarpOptions value) {
            iwarp = value;
            return this;
        }

        public Builder infiniband(InfinibandOptions value) {
            infiniband = value;
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
            return new RnicOptions(provider, progress, engines, iwarp, infiniband, captureFile, device, settings);
        }
    }
}
