package io.verbena.tools.launch;

import io.verbena.tools.command.UsageProblem;
import java.util.ArrayList;
import java.util.List;

/** The hosts of a job and how many ranks each may have: {@code a:4,b:4,localhost}. */
final class HostSlots {

    private HostSlots() {}

    /**
     * The host of each rank; ranks fill the hosts in the order of the list.
     *
     * @param ranks their number; 0 for as many as the hosts may have
     */
    static List<String> hosts(String list, int ranks) throws UsageProblem {
        List<String> hosts = new ArrayList<>();
        for (String each : list.split(",", -1)) {
            int colon = each.lastIndexOf(':');
            String host = colon < 0 ? each : each.substring(0, colon);
            int slots = colon < 0 ? 1 : slots(each, each.substring(colon + 1));
            // A name that begins with a hyphen would be an option of ssh.
            if (!host.matches("[A-Za-z0-9_][A-Za-z0-9_.@-]*")) {
                throw new UsageProblem("--hosts is a list such as a:4,b:4, and '" + each + "' is no host of it");
            }
            for (int i = 0; i < slots; i++) {
                hosts.add(host);
            }
        }
        if (hosts.size() > RunCommand.MOST_RANKS) {
            throw new UsageProblem(
                    "--hosts has " + hosts.size() + " ranks; at most " + RunCommand.MOST_RANKS + " can be started");
        }
        if (ranks > hosts.size()) {
            throw new UsageProblem("-n is " + ranks + ", but --hosts has only " + hosts.size()
                    + " ranks: write HOST:NUMBER for more than one on a host");
        }
        return ranks == 0 ? hosts : hosts.subList(0, ranks);
    }

    private static int slots(String each, String number) throws UsageProblem {
        if (!number.matches("[1-9][0-9]{0,3}")) {
            throw new UsageProblem(
                    "the number of ranks in '" + each + "' of --hosts must be 1 to " + RunCommand.MOST_RANKS);
        }
        return Integer.parseInt(number);
    }

    /** Whether ranks of this host are processes that this one starts. */
    static boolean isLocal(String host) {
        return host.equals("localhost") || host.equals("127.0.0.1");
    }
}
