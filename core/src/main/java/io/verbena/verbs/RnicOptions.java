package io.verbena.verbs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How an RNIC is opened. Start from {@link #defaults()} and change what matters.
 *
 * @param provider name of the provider, empty for the best one available
 * @param progress who does the work
 * @param engines number of engines (threads with {@link Progress#ENGINE_THREAD}); queue pairs are spread over them
 * @param crc whether connections ask for a checksum on every frame; a peer that asks for it always gets it
 * @param markers whether connections ask the peer to put MPA markers into what it sends
 * @param maxFpduPayloadBytes largest payload of one frame, 64 to 64,750; on a real network 1,424 fits one TCP segment
 * @param socketBufferBytes size asked for socket buffers, 0 for the system's choice
 * @param captureFile where to write a capture of all traffic (pcapng), empty for none
 * @param device which of a provider's devices, empty for the first
 * @param settings what only one provider knows, by name
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

    /** Name of the setting that {@link #withEngineCores} writes: cores of each engine, such as "0,1;2,3". */
    public static final String ENGINE_CORES = "engine-cores";

    /** Checks the ranges. */
    public RnicOptions {
        require(engines >= 1 && engines <= 256, "engines must be 1 to 256, not " + engines);
        require(progress == Progress.ENGINE_THREAD || engines == 1, "an INLINE RNIC has one engine, not " + engines);
        require(
                maxFpduPayloadBytes >= 64 && maxFpduPayloadBytes <= 64_750,
                "maxFpduPayloadBytes must be 64 to 64750, not " + maxFpduPayloadBytes);
        require(socketBufferBytes >= 0, "socketBufferBytes must not be negative");
        settings = Map.copyOf(settings);
    }

    /** Best provider, one engine thread, no CRC, no markers, frames of 32 KiB, no capture. */
    public static RnicOptions defaults() {
        return new RnicOptions("", Progress.ENGINE_THREAD, 1, false, false, 32_768, 0, "", "", Map.of());
    }

    public RnicOptions withProvider(String name) {
        return new RnicOptions(
                name,
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

    public RnicOptions withProgress(Progress value) {
        return new RnicOptions(
                provider,
                value,
                engines,
                crc,
                markers,
                maxFpduPayloadBytes,
                socketBufferBytes,
                captureFile,
                device,
                settings);
    }

    public RnicOptions withEngines(int value) {
        return new RnicOptions(
                provider,
                progress,
                value,
                crc,
                markers,
                maxFpduPayloadBytes,
                socketBufferBytes,
                captureFile,
                device,
                settings);
    }

    public RnicOptions withCrc(boolean value) {
        return new RnicOptions(
                provider,
                progress,
                engines,
                value,
                markers,
                maxFpduPayloadBytes,
                socketBufferBytes,
                captureFile,
                device,
                settings);
    }

    public RnicOptions withMarkers(boolean value) {
        return new RnicOptions(
                provider,
                progress,
                engines,
                crc,
                value,
                maxFpduPayloadBytes,
                socketBufferBytes,
                captureFile,
                device,
                settings);
    }

    public RnicOptions withMaxFpduPayloadBytes(int value) {
        return new RnicOptions(
                provider, progress, engines, crc, markers, value, socketBufferBytes, captureFile, device, settings);
    }

    public RnicOptions withSocketBufferBytes(int value) {
        return new RnicOptions(
                provider, progress, engines, crc, markers, maxFpduPayloadBytes, value, captureFile, device, settings);
    }

    public RnicOptions withCaptureFile(String path) {
        return new RnicOptions(
                provider,
                progress,
                engines,
                crc,
                markers,
                maxFpduPayloadBytes,
                socketBufferBytes,
                path,
                device,
                settings);
    }

    public RnicOptions withDevice(String name) {
        return new RnicOptions(
                provider,
                progress,
                engines,
                crc,
                markers,
                maxFpduPayloadBytes,
                socketBufferBytes,
                captureFile,
                name,
                settings);
    }

    public RnicOptions withSettings(Map<String, String> values) {
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
                values);
    }

    /**
     * Binds engine threads to cores: the first engine to the first set, and so on; if there are fewer sets than engines they are
     * taken in turn. Linux only; elsewhere, or where the system refuses, engines run unbound and the log says why.
     *
     * @throws IllegalArgumentException when a set is empty
     */
    public RnicOptions withEngineCores(List<Set<Integer>> cores) {
        List<String> sets = new ArrayList<>();
        for (Set<Integer> each : cores) {
            require(!each.isEmpty(), "an engine needs one core or more");
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
}
