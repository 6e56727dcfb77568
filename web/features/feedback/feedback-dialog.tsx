import { sendFeedback } from '../../../contract/calls/account.ts';
import { FEEDBACK_MAX_LENGTH } from '../../../contract/words.ts';
import { call } from '../../lib/api-client.ts';
import { useDraft } from '../../lib/drafts.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Dialog, DialogActions, Form, type OpenState } from '../../ui/dialog.tsx';
import { inputClass } from '../../ui/form/field.tsx';
import { toast } from '../../ui/toast.tsx';

/** Sends feedback to whoever runs the product. The text stays until it is sent. */
export function FeedbackDialog({ open, onOpenChange }: OpenState) {
  const [text, setText, clear] = useDraft('feedback');
  const { mutate, isPending } = useWrite({
    mutationFn: (typed: string) => call(sendFeedback, { body: { title: 'feedback', message: typed.trim() } }),
    onSuccess: (_, typed) => {
      // The dialog stays open if the user is already typing another text.
      if (clear(typed)) onOpenChange(false);
      toast.success('Thanks for your feedback! We really appreciate it. 🙏');
    },
    onError: (error) => toast.failed('Something happened while sending. Please try again later', error),
  });
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="We'd love your feedback" hasCross>
      <Form onSubmit={() => mutate(text)}>
        <textarea
          aria-label="Feedback"
          placeholder="Your thoughts..."
          maxLength={FEEDBACK_MAX_LENGTH}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={classNames(inputClass(), 'mt-4 min-h-[104px]! resize-y py-2')}
        />
        <DialogActions>
          <Button type="submit" disabled={text.trim() === ''} busy={isPending}>
            Submit
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
