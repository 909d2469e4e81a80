package io.verbena.outcome;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Runs the conformance table over a device, for interop/hardware.sh: PROVIDER[:DEVICE] ADDRESS COLUMN DOCUMENT [PATTERN]. */
public final class ConformanceProgram {

    private ConformanceProgram() {}

    public static void main(String[] arguments) throws Exception {
        InetAddress address = InetAddress.getByName(arguments[1]);
        List<String> differences = new ArrayList<>();
        Predicate<String> names =
                arguments.length > 4 ? Pattern.compile(arguments[4]).asPredicate() : _ -> true;
        int tried = Conformance.run(
                new Ground() {
                    @Override
                    public Rnic open() {
                        return Rnic.open(RnicOptions.defaults().withProvider(arguments[0]));
                    }

                    @Override
                    public InetAddress address() {
                        return address;
                    }
                },
                arguments[2],
                Path.of(arguments[3]),
                names,
                each -> {
                    System.out.println(each);
                    differences.add(each);
                });
        System.out.println(tried + " assertions, " + differences.size() + " differences");
        if (!differences.isEmpty()) {
            throw new AssertionError(differences.size() + " differences");
        }
    }
}
