package io.verbena.tools.disk;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceFault;
import io.verbena.storage.device.DeviceFault.Kind;
import io.verbena.storage.device.FaultyDevice;
import io.verbena.storage.device.SlowDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Faults of a disk on the command line: {@code KIND[@FIRST[+COUNT]][*TIMES]} and {@code delay=MILLISECONDS}.
 *
 * @param faults faults of commands
 * @param delay what each command takes longer
 */
public record DiskFaults(List<DeviceFault> faults, Duration delay) {
    private static final Pattern FORM =
            Pattern.compile("([a-z-]+)(?:@(\\d{1,18})(?:\\+(\\d{1,18}))?)?(?:\\*(\\d{1,9}))?");
    private static final Pattern DELAY = Pattern.compile("delay=(\\d{1,6}(?:\\.\\d{1,6})?)");

    /** Copies the list. */
    public DiskFaults {
        faults = List.copyOf(faults);
    }

    /** Parses the faults of one disk. */
    public static DiskFaults parse(List<String> texts) {
        List<DeviceFault> faults = new ArrayList<>();
        Duration delay = Duration.ZERO;
        for (String text : texts) {
            Matcher time = DELAY.matcher(text);
            if (time.matches()) {
                delay = delay.plusNanos(Math.round(Double.parseDouble(time.group(1)) * 1e6));
            } else {
                faults.add(fault(text));
            }
        }
        return new DiskFaults(faults, delay);
    }

    private static DeviceFault fault(String text) {
        Matcher form = FORM.matcher(text.toLowerCase(Locale.ROOT));
        Optional<Kind> kind = form.matches() ? kind(form.group(1)) : Optional.empty();
        if (kind.isEmpty()) {
            throw new IllegalArgumentException("A fault is delay=MS or KIND[@BLOCK[+COUNT]][*TIMES] such as"
                    + " read-error@2048+8*3, where KIND is " + names() + ", not '" + text + "'");
        }
        boolean range = form.group(2) != null;
        if (range && (kind.get() == Kind.LOST_FLUSH || kind.get() == Kind.FLUSH_ERROR)) {
            throw new IllegalArgumentException("A flush concerns the whole disk: leave '@' out of '" + text + "'");
        }
        long first = range ? Long.parseLong(form.group(2)) : 0;
        long count = form.group(3) != null ? Long.parseLong(form.group(3)) : range ? 1 : Long.MAX_VALUE - first;
        int times = form.group(4) != null ? Integer.parseInt(form.group(4)) : Integer.MAX_VALUE;
        if (count < 1 || times < 1) {
            throw new IllegalArgumentException(
                    "A fault concerns at least one block, at least once, not '" + text + "'");
        }
        return new DeviceFault(kind.get(), first, count, times);
    }

    private static Optional<Kind> kind(String word) {
        return Arrays.stream(Kind.values())
                .filter(each -> word(each).equals(word))
                .findFirst();
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kinds as they are typed. */
    public static String names() {
        return Arrays.stream(Kind.values()).map(DiskFaults::word).collect(Collectors.joining(", "));
    }

    /** The device with the faults. */
    BlockDevice into(BlockDevice device) {
        BlockDevice result = device;
        if (!faults.isEmpty()) {
            FaultyDevice faulty = new FaultyDevice(device);
            faults.forEach(faulty::with);
            result = faulty;
        }
        return delay.isZero() ? result : new SlowDevice(result, delay);
    }
}
