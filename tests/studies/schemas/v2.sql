CREATE TABLE public.activepu_events (
    study integer NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    sequence integer,
    item bigint,
    expert text,
    answer integer,
    note text,
    at double precision NOT NULL
);
CREATE TABLE public.activepu_experts (
    study integer NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.activepu_keys (
    study integer NOT NULL,
    key text NOT NULL,
    change text NOT NULL,
    returned text NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.activepu_leases (
    study integer NOT NULL,
    sequence integer NOT NULL,
    token text NOT NULL,
    expert text NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.activepu_questions (
    sequence integer NOT NULL,
    study integer NOT NULL,
    item bigint NOT NULL,
    state text NOT NULL,
    answer integer,
    expert text NOT NULL,
    token text,
    expires double precision NOT NULL
);
CREATE TABLE public.activepu_spellings (
    study integer NOT NULL,
    folded text NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.activepu_studies (
    id integer NOT NULL,
    name text NOT NULL,
    made double precision NOT NULL,
    settings text NOT NULL,
    folded text
);
CREATE SEQUENCE public.activepu_studies_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.activepu_studies_id_seq OWNED BY public.activepu_studies.id;
CREATE TABLE public.activepu_version (
    id integer NOT NULL,
    version integer
);
CREATE SEQUENCE public.activepu_version_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.activepu_version_id_seq OWNED BY public.activepu_version.id;
ALTER TABLE ONLY public.activepu_studies ALTER COLUMN id SET DEFAULT nextval('public.activepu_studies_id_seq'::regclass);
ALTER TABLE ONLY public.activepu_version ALTER COLUMN id SET DEFAULT nextval('public.activepu_version_id_seq'::regclass);
INSERT INTO public.activepu_events VALUES (1, 1, 'ask', 0, 22, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.20348837209302326, "drawn": 0}', 1795132769.107654);
INSERT INTO public.activepu_events VALUES (1, 2, 'skip', 0, 22, 'ann', NULL, NULL, 1795132769.145466);
INSERT INTO public.activepu_events VALUES (1, 3, 'withdraw', 0, 22, NULL, NULL, NULL, 1795132769.154813);
INSERT INTO public.activepu_events VALUES (1, 4, 'ask', 1, 312, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.20348837209302326, "drawn": 0}', 1795132769.239136);
INSERT INTO public.activepu_events VALUES (1, 5, 'answer', 1, 312, 'bob', 0, NULL, 1795132769.256459);
INSERT INTO public.activepu_events VALUES (1, 6, 'ask', 2, 319, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.18783309108527133, "drawn": 0}', 1795132769.311313);
INSERT INTO public.activepu_events VALUES (1, 7, 'answer', 2, 319, 'ann', 0, NULL, 1795132769.320139);
INSERT INTO public.activepu_events VALUES (1, 8, 'ask', 3, 245, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.17662659479733508, "drawn": 0}', 1795132769.378862);
INSERT INTO public.activepu_events VALUES (1, 9, 'answer', 3, 245, 'bob', 0, NULL, 1795132769.396164);
INSERT INTO public.activepu_events VALUES (1, 10, 'ask', 4, 222, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.15930712007158207, "drawn": 0}', 1795132769.491212);
INSERT INTO public.activepu_events VALUES (1, 11, 'answer', 4, 222, 'ann', 0, NULL, 1795132769.508736);
INSERT INTO public.activepu_events VALUES (1, 12, 'ask', 5, 322, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.134532713578973, "drawn": 0}', 1795132769.583115);
INSERT INTO public.activepu_events VALUES (1, 13, 'answer', 5, 322, 'bob', 0, NULL, 1795132769.596123);
INSERT INTO public.activepu_events VALUES (1, 14, 'ask', 6, 95, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.10034495114381317, "drawn": 0}', 1795132769.661377);
INSERT INTO public.activepu_events VALUES (1, 15, 'answer', 6, 95, 'ann', 0, NULL, 1795132769.672275);
INSERT INTO public.activepu_events VALUES (1, 16, 'ask', 7, 226, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.10424251337911268, "drawn": 0}', 1795132769.735193);
INSERT INTO public.activepu_events VALUES (1, 17, 'answer', 7, 226, 'bob', 1, NULL, 1795132769.744419);
INSERT INTO public.activepu_events VALUES (1, 18, 'ask', 8, 321, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.2633040148340442, "drawn": 0}', 1795132769.812158);
INSERT INTO public.activepu_events VALUES (1, 19, 'answer', 8, 321, 'ann', 0, NULL, 1795132769.819785);
INSERT INTO public.activepu_events VALUES (1, 20, 'ask', 9, 101, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.2350451114950698, "drawn": 0}', 1795132769.861857);
INSERT INTO public.activepu_events VALUES (1, 21, 'answer', 9, 101, 'bob', 0, NULL, 1795132769.87549);
INSERT INTO public.activepu_events VALUES (1, 22, 'ask', 10, 3, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.20399201014300897, "drawn": 0}', 1795132769.927053);
INSERT INTO public.activepu_events VALUES (1, 23, 'answer', 10, 3, 'ann', 1, NULL, 1795132769.93542);
INSERT INTO public.activepu_events VALUES (1, 24, 'undo', 10, 3, 'ann', NULL, NULL, 1795132769.994508);
INSERT INTO public.activepu_events VALUES (1, 25, 'answer', 10, 3, 'ann', 1, NULL, 1795132769.999782);
INSERT INTO public.activepu_events VALUES (1, 26, 'ask', 11, 331, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.27649972972293163, "drawn": 0}', 1795132770.142813);
INSERT INTO public.activepu_events VALUES (1, 27, 'answer', 11, 331, 'bob', 0, NULL, 1795132770.159612);
INSERT INTO public.activepu_events VALUES (1, 28, 'ask', 12, 301, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.517961138244109, "drawn": 0}', 1795132770.215663);
INSERT INTO public.activepu_events VALUES (1, 29, 'answer', 12, 301, 'ann', 1, NULL, 1795132770.227697);
INSERT INTO public.activepu_events VALUES (1, 30, 'ask', 13, 199, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.33826394164653445, "drawn": 0}', 1795132770.284995);
INSERT INTO public.activepu_events VALUES (1, 31, 'answer', 13, 199, 'bob', 0, NULL, 1795132770.295739);
INSERT INTO public.activepu_events VALUES (1, 32, 'ask', 14, 0, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.40701690563294735, "drawn": 0}', 1795132770.363309);
INSERT INTO public.activepu_events VALUES (1, 33, 'answer', 14, 0, 'ann', 1, NULL, 1795132770.37454);
INSERT INTO public.activepu_events VALUES (1, 34, 'ask', 15, 158, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.38431021687111777, "drawn": 0}', 1795132770.446865);
INSERT INTO public.activepu_events VALUES (1, 35, 'answer', 15, 158, 'bob', 1, NULL, 1795132770.455964);
INSERT INTO public.activepu_events VALUES (1, 36, 'ask', 16, 225, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3622916625433711, "drawn": 0}', 1795132770.534911);
INSERT INTO public.activepu_events VALUES (1, 37, 'answer', 16, 225, 'ann', 0, NULL, 1795132770.547268);
INSERT INTO public.activepu_events VALUES (1, 38, 'ask', 17, 129, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.39018571338401664, "drawn": 0}', 1795132770.614202);
INSERT INTO public.activepu_events VALUES (1, 39, 'answer', 17, 129, 'bob', 0, NULL, 1795132770.631684);
INSERT INTO public.activepu_events VALUES (1, 40, 'ask', 18, 37, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3722778031633059, "drawn": 0}', 1795132770.69697);
INSERT INTO public.activepu_events VALUES (1, 41, 'answer', 18, 37, 'ann', 1, NULL, 1795132770.711477);
INSERT INTO public.activepu_events VALUES (1, 42, 'ask', 19, 387, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.40230689733734254, "drawn": 0}', 1795132770.786863);
INSERT INTO public.activepu_events VALUES (1, 43, 'answer', 19, 387, 'bob', 1, NULL, 1795132770.802814);
INSERT INTO public.activepu_events VALUES (1, 44, 'ask', 20, 40, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.38463422195116215, "drawn": 0}', 1795132770.865027);
INSERT INTO public.activepu_events VALUES (1, 45, 'answer', 20, 40, 'ann', 0, NULL, 1795132770.878972);
INSERT INTO public.activepu_events VALUES (1, 46, 'ask', 21, 275, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.43234958557353337, "drawn": 0}', 1795132770.958518);
INSERT INTO public.activepu_events VALUES (1, 47, 'answer', 21, 275, 'bob', 1, NULL, 1795132770.9758);
INSERT INTO public.activepu_events VALUES (1, 48, 'ask', 22, 297, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.313359859272859, "drawn": 0}', 1795132771.070745);
INSERT INTO public.activepu_events VALUES (1, 49, 'answer', 22, 297, 'ann', 0, NULL, 1795132771.079738);
INSERT INTO public.activepu_events VALUES (1, 50, 'ask', 23, 213, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.46853986659012214, "drawn": 0}', 1795132771.18699);
INSERT INTO public.activepu_events VALUES (1, 51, 'answer', 23, 213, 'bob', 0, NULL, 1795132771.195984);
INSERT INTO public.activepu_events VALUES (1, 52, 'ask', 24, 113, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.322302211554635, "drawn": 0}', 1795132771.30726);
INSERT INTO public.activepu_events VALUES (1, 53, 'answer', 24, 113, 'ann', 0, NULL, 1795132771.320025);
INSERT INTO public.activepu_events VALUES (1, 54, 'ask', 25, 394, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.37526192095767524, "drawn": 0}', 1795132771.42753);
INSERT INTO public.activepu_events VALUES (1, 55, 'answer', 25, 394, 'bob', 1, NULL, 1795132771.442298);
INSERT INTO public.activepu_events VALUES (1, 56, 'ask', 26, 125, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3991214257449601, "drawn": 0}', 1795132771.554952);
INSERT INTO public.activepu_events VALUES (1, 57, 'answer', 26, 125, 'ann', 1, NULL, 1795132771.560021);
INSERT INTO public.activepu_events VALUES (1, 58, 'ask', 27, 239, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.31259081133470695, "drawn": 0}', 1795132771.698976);
INSERT INTO public.activepu_events VALUES (1, 59, 'answer', 27, 239, 'bob', 0, NULL, 1795132771.715268);
INSERT INTO public.activepu_events VALUES (1, 60, 'ask', 28, 240, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.41572692172515896, "drawn": 0}', 1795132771.818948);
INSERT INTO public.activepu_events VALUES (1, 61, 'answer', 28, 240, 'ann', 1, NULL, 1795132771.83198);
INSERT INTO public.activepu_events VALUES (1, 62, 'ask', 29, 220, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.37773794809365463, "drawn": 0}', 1795132771.947064);
INSERT INTO public.activepu_events VALUES (1, 63, 'answer', 29, 220, 'bob', 0, NULL, 1795132771.956119);
INSERT INTO public.activepu_events VALUES (1, 64, 'ask', 30, 140, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3085733897500945, "drawn": 0}', 1795132772.06415);
INSERT INTO public.activepu_events VALUES (1, 65, 'answer', 30, 140, 'ann', 0, NULL, 1795132772.075577);
INSERT INTO public.activepu_events VALUES (1, 66, 'ask', 31, 340, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.23874484386958297, "drawn": 0}', 1795132772.191187);
INSERT INTO public.activepu_experts VALUES (1, 'ann');
INSERT INTO public.activepu_experts VALUES (1, 'bob');
INSERT INTO public.activepu_leases VALUES (1, 0, '0-mbRQB7lkx_k9qTXwzPB-Ww', 'ann', 'skipped');
INSERT INTO public.activepu_leases VALUES (1, 10, '10-F-KKQihSJont89myRXzSTg', 'ann', 'undone');
INSERT INTO public.activepu_questions VALUES (0, 1, 22, 'withdrawn', NULL, '', NULL, 0);
INSERT INTO public.activepu_questions VALUES (1, 1, 312, 'answered', 0, 'bob', '1-DWhQDKaiBbxoiLeJfJETfQ', 1795133669.229753);
INSERT INTO public.activepu_questions VALUES (2, 1, 319, 'answered', 0, 'ann', '2-z2BpEozO6P0dtIs1PpXBBQ', 1795133669.310909);
INSERT INTO public.activepu_questions VALUES (3, 1, 245, 'answered', 0, 'bob', '3-sBN0-q7cE9piX0_Y2YL4hQ', 1795133669.374679);
INSERT INTO public.activepu_questions VALUES (4, 1, 222, 'answered', 0, 'ann', '4-YNofd9WGpXIlq4P4SkYJzQ', 1795133669.49064);
INSERT INTO public.activepu_questions VALUES (5, 1, 322, 'answered', 0, 'bob', '5-6GNSPrA8MNPCb3lHj3HJDQ', 1795133669.582574);
INSERT INTO public.activepu_questions VALUES (6, 1, 95, 'answered', 0, 'ann', '6-gZSJZewACpjX7mZ5jXY87g', 1795133669.660946);
INSERT INTO public.activepu_questions VALUES (7, 1, 226, 'answered', 1, 'bob', '7-Gyw_9PrRu7_jJOHEwFXS1w', 1795133669.734653);
INSERT INTO public.activepu_questions VALUES (8, 1, 321, 'answered', 0, 'ann', '8-I6kVuy6J3HnoWhwtVjip-g', 1795133669.811684);
INSERT INTO public.activepu_questions VALUES (9, 1, 101, 'answered', 0, 'bob', '9-PoSR-eGX-SSAQD9thumsug', 1795133669.861443);
INSERT INTO public.activepu_questions VALUES (10, 1, 3, 'answered', 1, 'ann', '10-3_uZcMorcjgBw5mCwBFnSg', 1795133669.985487);
INSERT INTO public.activepu_questions VALUES (11, 1, 331, 'answered', 0, 'bob', '11-obLUJHuhX1XP0Wd1R7DYEg', 1795133670.136264);
INSERT INTO public.activepu_questions VALUES (12, 1, 301, 'answered', 1, 'ann', '12-RceUSJMqF2qm2D8ujehgdA', 1795133670.215322);
INSERT INTO public.activepu_questions VALUES (13, 1, 199, 'answered', 0, 'bob', '13-LjfJFn2tqHxp9FhH8HZAZg', 1795133670.274526);
INSERT INTO public.activepu_questions VALUES (14, 1, 0, 'answered', 1, 'ann', '14-9UH6YgcO2EahwDUV1h2gUA', 1795133670.363016);
INSERT INTO public.activepu_questions VALUES (15, 1, 158, 'answered', 1, 'bob', '15-QKcFhWcBi2hBw7RX-51GBA', 1795133670.436855);
INSERT INTO public.activepu_questions VALUES (16, 1, 225, 'answered', 0, 'ann', '16-kDfNnaurHo1-1YCbltx6hw', 1795133670.520675);
INSERT INTO public.activepu_questions VALUES (17, 1, 129, 'answered', 0, 'bob', '17-doDW2PUV4-lA4O89rRX8gw', 1795133670.608522);
INSERT INTO public.activepu_questions VALUES (18, 1, 37, 'answered', 1, 'ann', '18-6vwYxssXqWfrh9Z8DnljPg', 1795133670.696665);
INSERT INTO public.activepu_questions VALUES (19, 1, 387, 'answered', 1, 'bob', '19-AyjdcV6O5nZae7tj1wkppg', 1795133670.781505);
INSERT INTO public.activepu_questions VALUES (20, 1, 40, 'answered', 0, 'ann', '20-064idAol-G9nsoGk-3pHGg', 1795133670.864726);
INSERT INTO public.activepu_questions VALUES (21, 1, 275, 'answered', 1, 'bob', '21-NrKCqL6If2JUMk2cBCF9cQ', 1795133670.948066);
INSERT INTO public.activepu_questions VALUES (22, 1, 297, 'answered', 0, 'ann', '22-9-aag-ZKv9qv0LtTCECnlQ', 1795133671.070185);
INSERT INTO public.activepu_questions VALUES (23, 1, 213, 'answered', 0, 'bob', '23-lKVAGqzIEEe3glt-LYvBag', 1795133671.174437);
INSERT INTO public.activepu_questions VALUES (24, 1, 113, 'answered', 0, 'ann', '24-sN3fskB3ljfRsnON9Hwhvw', 1795133671.306781);
INSERT INTO public.activepu_questions VALUES (25, 1, 394, 'answered', 1, 'bob', '25-eLT76GFC3niHPoNPanCBTg', 1795133671.427176);
INSERT INTO public.activepu_questions VALUES (26, 1, 125, 'answered', 1, 'ann', '26-QUZ4CX2PwmL5IYAIyIHMVA', 1795133671.550581);
INSERT INTO public.activepu_questions VALUES (27, 1, 239, 'answered', 0, 'bob', '27-vyL3bsAxLlgSFg0kL_jK9g', 1795133671.689636);
INSERT INTO public.activepu_questions VALUES (28, 1, 240, 'answered', 1, 'ann', '28-sUc6N9GddXCs1-wqJGugvg', 1795133671.80994);
INSERT INTO public.activepu_questions VALUES (29, 1, 220, 'answered', 0, 'bob', '29-0X8YOzw_b8UfBWJq1Tcyzg', 1795133671.932775);
INSERT INTO public.activepu_questions VALUES (30, 1, 140, 'answered', 0, 'ann', '30-Cnmqe4dD_cNlDheOV1-IEw', 1795133672.063758);
INSERT INTO public.activepu_questions VALUES (31, 1, 340, 'open', NULL, 'ann', '31-UtXBbLOmTdudbHhw1ICcjA', 1795133672.181737);
INSERT INTO public.activepu_spellings VALUES (1, 'ann', 'ann');
INSERT INTO public.activepu_spellings VALUES (1, 'bob', 'bob');
INSERT INTO public.activepu_studies VALUES (1, 's', 1795132768.99619, '{"pool": {"rows": 400, "columns": null, "fingerprint": "25130606840960b5d8465e30c66c839bb3c46e8632a1d4a80744c45143e11df5", "made from": null, "columns of the file": null}, "learner": {"learner": "ZCal", "code": false, "settings": {"hypotheses": {"hypotheses": {"class": "boxes", "dim": null, "names": null}}, "epsilon": 0.1, "delta": 0.1, "rate": null, "false_reveal": 0.0, "check": 0}}, "says": null, "positives": [], "seed": 0, "open_per_expert": 2, "lease_seconds": 900.0, "activepu": "0.1.0"}', 's');
INSERT INTO public.activepu_version VALUES (1, 2);
SELECT pg_catalog.setval('public.activepu_studies_id_seq', 1, true);
SELECT pg_catalog.setval('public.activepu_version_id_seq', 1, false);
ALTER TABLE ONLY public.activepu_events
    ADD CONSTRAINT activepu_events_pkey PRIMARY KEY (study, number);
ALTER TABLE ONLY public.activepu_experts
    ADD CONSTRAINT activepu_experts_pkey PRIMARY KEY (study, name);
ALTER TABLE ONLY public.activepu_keys
    ADD CONSTRAINT activepu_keys_pkey PRIMARY KEY (study, key);
ALTER TABLE ONLY public.activepu_leases
    ADD CONSTRAINT activepu_leases_pkey PRIMARY KEY (study, sequence, token);
ALTER TABLE ONLY public.activepu_questions
    ADD CONSTRAINT activepu_questions_pkey PRIMARY KEY (sequence, study);
ALTER TABLE ONLY public.activepu_spellings
    ADD CONSTRAINT activepu_spellings_pkey PRIMARY KEY (study, folded);
ALTER TABLE ONLY public.activepu_studies
    ADD CONSTRAINT activepu_studies_name_key UNIQUE (name);
ALTER TABLE ONLY public.activepu_studies
    ADD CONSTRAINT activepu_studies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.activepu_version
    ADD CONSTRAINT activepu_version_pkey PRIMARY KEY (id);
CREATE INDEX activepu_open_questions ON public.activepu_questions USING btree (study, expert, sequence) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX activepu_study_names ON public.activepu_studies USING btree (folded);
ALTER TABLE ONLY public.activepu_events
    ADD CONSTRAINT activepu_events_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_experts
    ADD CONSTRAINT activepu_experts_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_keys
    ADD CONSTRAINT activepu_keys_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_leases
    ADD CONSTRAINT activepu_leases_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_questions
    ADD CONSTRAINT activepu_questions_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_spellings
    ADD CONSTRAINT activepu_spellings_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
