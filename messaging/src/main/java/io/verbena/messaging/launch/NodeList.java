package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobStartException;
import java.util.ArrayList;
import java.util.List;

/** Slurm's lists of nodes: {@code a1,b[2-4,07-09]c,d}. */
final class NodeList {

    private static final int MAX_NODES = 65_536;

    private NodeList() {}

    /** The names of the nodes, in the order of the list. */
    static List<String> expand(String list) throws JobStartException {
        List<String> nodes = new ArrayList<>();
        int from = 0;
        int depth = 0;
        for (int i = 0; i <= list.length(); i++) {
            char next = i == list.length() ? ',' : list.charAt(i);
            depth += next == '[' ? 1 : next == ']' ? -1 : 0;
            if (depth < 0 || depth > 1) {
                throw malformed(list);
            }
            if (next == ',' && depth == 0) {
                expand("", list.substring(from, i), nodes, list);
                from = i + 1;
            }
        }
        if (depth != 0) {
            throw malformed(list);
        }
        return nodes;
    }

    /** One element of the list, whose beginning is expanded already. */
    private static void expand(String begin, String rest, List<String> nodes, String list) throws JobStartException {
        int open = rest.indexOf('[');
        if (open < 0) {
            String name = begin + rest;
            if (!name.matches("[A-Za-z0-9._-]+") || nodes.size() == MAX_NODES) {
                throw malformed(list);
            }
            nodes.add(name);
            return;
        }
        int close = rest.indexOf(']', open);
        for (String range : rest.substring(open + 1, close).split(",", -1)) {
            String[] ends = range.split("-", -1);
            if (ends.length > 2 || !ends[0].matches("\\d{1,9}") || !ends[ends.length - 1].matches("\\d{1,9}")) {
                throw malformed(list);
            }
            int last = Integer.parseInt(ends[ends.length - 1]);
            if (last - Integer.parseInt(ends[0]) >= MAX_NODES) {
                throw malformed(list);
            }
            for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
                String number = String.valueOf(i);
                String zeros = "0".repeat(Math.max(0, ends[0].length() - number.length()));
                expand(begin + rest.substring(0, open) + zeros + number, rest.substring(close + 1), nodes, list);
            }
        }
    }

    private static JobStartException malformed(String list) {
        return new JobStartException("'" + JobVariables.printable(list) + "' is no list of Slurm's nodes.");
    }
}
