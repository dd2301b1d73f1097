// Options of the command line. Words that are no options stay where they are, and end the options.
// Written from: POSIX.1-2017, getopt; the GNU C library's manual, Parsing Long Options with getopt_long.
char* optarg = nullptr;
int optind = 1;
int opterr = 1;
int optopt = 0;
int __getopt_at = 1;

inline int __getopt_failed(const char* program, const char* what, const char* name, int is_reported) {
    if (is_reported) fprintf(stderr, "%s: %s '%s'\n", program, what, name);
    return '?';
}

inline int getopt(int argc, char* const* argv, const char* options) {
    optarg = nullptr;
    if (optind >= argc || argv[optind][0] != '-' || argv[optind][1] == 0) return -1;
    if (strcmp(argv[optind], "--") == 0) {
        optind++;
        return -1;
    }
    const char* word = argv[optind];
    const int option = word[__getopt_at++];
    const bool is_last = word[__getopt_at] == 0;
    const bool is_quiet = options[0] == ':' || !opterr;
    char name[2] = {(char)option, 0};
    const char* known = option == ':' ? nullptr : strchr(options, option);
    if (known && known[1] == ':') {
        if (!is_last) optarg = (char*)word + __getopt_at;
        else if (known[2] != ':' && optind + 1 < argc) optarg = argv[++optind];
    }
    if (is_last || optarg) {
        optind++;
        __getopt_at = 1;
    }
    optopt = option;
    if (!known) return __getopt_failed(argv[0], "invalid option --", name, !is_quiet);
    if (known[1] == ':' && known[2] != ':' && !optarg) {
        __getopt_failed(argv[0], "option requires an argument --", name, !is_quiet);
        return options[0] == ':' ? ':' : '?';
    }
    return option;
}

#define no_argument 0
#define required_argument 1
#define optional_argument 2
struct option {
    const char* name;
    int has_arg;
    int* flag;
    int val;
};

inline int getopt_long(int argc, char* const* argv, const char* options, const option* known, int* index) {
    optarg = nullptr;
    const bool is_long = optind < argc && argv[optind][0] == '-' && argv[optind][1] == '-' && argv[optind][2] != 0;
    if (!is_long) return getopt(argc, argv, options);
    char* word = argv[optind++] + 2;
    size_t bytes = 0;
    while (word[bytes] != 0 && word[bytes] != '=') bytes++;
    for (int i = 0; known[i].name; i++) {
        if (strlen(known[i].name) != bytes || strncmp(known[i].name, word, bytes) != 0) continue;
        if (word[bytes] == '=') optarg = word + bytes + 1;
        else if (known[i].has_arg == required_argument && optind < argc) optarg = argv[optind++];
        const bool fits = known[i].has_arg == required_argument ? optarg != nullptr
                                                                : known[i].has_arg == optional_argument || !optarg;
        if (!fits) return __getopt_failed(argv[0], "the argument does not fit the option", word, opterr);
        if (index) *index = i;
        if (!known[i].flag) return known[i].val;
        *known[i].flag = known[i].val;
        return 0;
    }
    return __getopt_failed(argv[0], "unrecognized option", word, opterr);
}
