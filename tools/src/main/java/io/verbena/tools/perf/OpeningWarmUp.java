package io.verbena.tools.perf;

import io.verbena.host.WarmUp;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The warm-up of the library when an RNIC is opened, in the process of each side of a latency: what any program can
 * ask for by the setting {@link WarmUp#SETTING}. The client begins it while the process of the server starts.
 */
public final class OpeningWarmUp {

    private static final int MILLIS = 800;
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** Providers that have the setting; the empty name is that of the default one. */
    private static final Set<String> PROVIDERS = Set.of("", "auto", "iwarp", "shm", "roce");

    private OpeningWarmUp() {}

    /** Options with a warm-up, if it makes sense for them: programs that poll are those that measure latencies. */
    public static RnicOptions of(RnicOptions options) {
        if (options.progress() != Progress.INLINE
                || !options.captureFile().isEmpty()
                || options.iwarp().tcp() != TcpCarrier.KERNEL // the warm-up would need its own network device
                || !PROVIDERS.contains(options.provider())
                || options.settings().containsKey(WarmUp.SETTING)) {
            return options;
        }
        Map<String, String> settings = new HashMap<>(options.settings());
        settings.put(WarmUp.SETTING, String.valueOf(MILLIS));
        return options.withSettings(settings);
    }

    /** Begins it before the RNIC is opened. */
    public static void begin(RnicOptions options) {
        WarmUp.begin(options);
    }

    /** Waits for its end, without which the measurement would share the processors with it. */
    public static void awaitEnd(RnicOptions options) {
        WarmUp.awaitEnd(options, LONGEST);
    }
}
